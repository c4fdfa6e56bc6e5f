import { expect, it } from 'vitest';
import { outcomeOfAnswer } from './answer-outcome.js';
import { isLameDuckAnswer } from './lame-duck.js';
import {
  ANSWERS,
  type AnswerForm,
  type AnswerName,
  answerName,
  refusalBytes,
  refusalHeaders,
  renderRefusal,
} from './refusal-answer.js';

const NAMES = Object.keys(ANSWERS) as AnswerName[];

/** An answer as a client would read it. */
function parse(bytes: Buffer) {
  const [head, body] = bytes.toString('latin1').split('\r\n\r\n') as [string, string];
  const [statusLine, ...lines] = head.split('\r\n') as [string, ...string[]];
  const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]));
  expect(Object.keys(headers), 'no header twice').toHaveLength(lines.length);
  return { statusLine, status: Number(statusLine.split(' ')[1]), headers, body };
}

it.each([
  ['task-overloaded', 'HTTP/1.1 503 Service Unavailable', 'task-overloaded'],
  ['overloaded-no-retry', 'HTTP/1.1 503 Service Unavailable', 'overloaded-no-retry'],
  ['limited', 'HTTP/1.1 429 Too Many Requests', 'limited'],
  ['late', 'HTTP/1.1 504 Gateway Timeout', 'overloaded-no-retry'],
  ['not-ready', 'HTTP/1.1 503 Service Unavailable', 'task-overloaded'],
] as const)('%s is understood at the other end', (name, statusLine, outcome) => {
  const answer = parse(refusalBytes(name));
  expect(answer.statusLine).toBe(statusLine);
  expect(outcomeOfAnswer(answer.status, answer.headers)).toBe(outcome);
});

it('has the headers that others know', () => {
  expect(parse(refusalBytes('task-overloaded')).headers).toMatchObject({
    'x-envoy-overloaded': 'true',
    'retry-after': '1',
  });
  expect(parse(refusalBytes('overloaded-no-retry')).headers).toMatchObject({
    'x-envoy-overloaded': 'true',
    'grpc-retry-pushback-ms': '-1',
    'retry-after': '5',
  });
  const { headers, body } = parse(refusalBytes('limited'));
  expect(headers).toMatchObject({
    'x-envoy-ratelimited': 'true',
    'retry-after': '1',
    'content-type': 'application/problem+json',
  });
  expect(JSON.parse(body)).toEqual({
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    title: 'Quota exceeded',
    status: 429,
  });
  expect(headers).not.toHaveProperty('x-envoy-overloaded');
  expect(parse(refusalBytes('late')).headers).not.toHaveProperty('retry-after');
});

const FORMS: AnswerForm[] = [false, true].flatMap((close) =>
  [false, true].flatMap((lameDuck) => [false, true].map((head) => ({ close, lameDuck, head }))),
);

it.each(NAMES)('%s is a complete answer in every form', (name) => {
  for (const form of FORMS) {
    const { status, headers, body } = parse(refusalBytes(name, form));
    expect(JSON.parse(ANSWERS[name].body).status).toBe(status);
    expect(headers['content-length']).toBe(String(ANSWERS[name].body.length));
    expect(body).toBe(form.head ? '' : ANSWERS[name].body);
    expect(headers['connection']).toBe(form.close || form.lameDuck ? 'close' : 'keep-alive');
    expect(isLameDuckAnswer(headers)).toBe(form.lameDuck);
    const flat = refusalHeaders(name, form);
    expect(headers).toEqual(
      Object.fromEntries(flat.flatMap((each, i) => (i % 2 === 0 ? [[each, flat[i + 1]]] : []))),
    );
  }
});

it('is made once, and with further headers anew', () => {
  expect(refusalBytes('limited')).toBe(refusalBytes('limited', {}));
  const { headers, body } = parse(
    renderRefusal('limited', {}, ['endpoint-load-metrics', 'TEXT eps=1', 'x-a', 'b']),
  );
  expect(headers).toMatchObject({ 'endpoint-load-metrics': 'TEXT eps=1', 'x-a': 'b', 'retry-after': '1' });
  expect(body).toBe(ANSWERS.limited.body);
  expect(renderRefusal('limited').equals(refusalBytes('limited'))).toBe(true);
});

it('tells one who came too early apart from one who came too many', () => {
  expect(answerName({ reason: 'not-ready', answer: 'task-overloaded' })).toBe('not-ready');
  expect(answerName({ reason: 'queue', answer: 'task-overloaded' })).toBe('task-overloaded');
  expect(answerName({ reason: 'deadline', answer: 'late' })).toBe('late');
});
