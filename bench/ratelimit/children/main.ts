// Limiters in a process of their own, and what they can be asked to measure.
import { answerQuestions } from '../../overload/questions.js';
import { bytesPerKey } from './bytes.js';
import { decided, startDeciding, stopDeciding } from './failures.js';
import { decideLeased } from './leased.js';
import { pausesOf } from './pauses.js';
import { speedOnRedis } from './redis.js';
import { compareSpeeds } from './speed.js';

answerQuestions({
  startDeciding,
  decided,
  stopDeciding,
  leased: decideLeased,
  redis: speedOnRedis,
  bytes: bytesPerKey,
  pauses: pausesOf,
  speed: compareSpeeds,
});
