// A backend or a coordinator in a process of its own.
import { answerQuestions } from '../../overload/questions.js';
import { coordinate, serve } from './backend.js';

answerQuestions({ coordinate, serve });
