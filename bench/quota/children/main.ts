// A backend or a coordinator in a process of its own.
import { answerQuestions } from '../../overload/questions.js';
import { stayAwake } from './awake.js';
import { coordinate, serve, warm } from './backend.js';

answerQuestions({ coordinate, serve, stayAwake, warm });
