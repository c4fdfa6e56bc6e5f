import { useEffect, useRef, useState } from 'preact/hooks';

interface Question {
  readonly text: string;
  readonly verb: string;
  readonly answer: (isMeant: boolean) => void;
}

let ask: ((question: Question) => void) | undefined;

/** Resolves with whether it is meant. */
export function confirmed(text: string, verb: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (ask === undefined) resolve(false);
    else ask({ text, verb, answer: resolve });
  });
}

/** The one place where questions are asked. A dialog of the browser's own keeps the focus, and Escape means no. */
export function ConfirmHost() {
  const [question, setQuestion] = useState<Question | undefined>(undefined);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ask = setQuestion;
    return () => {
      ask = undefined;
    };
  }, []);
  useEffect(() => {
    if (question !== undefined) dialog.current?.showModal();
  }, [question]);
  if (question === undefined) return null;
  const answer = (isMeant: boolean) => {
    question.answer(isMeant);
    dialog.current?.close();
    setQuestion(undefined);
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="confirm-text" onCancel={() => answer(false)}>
      <p id="confirm-text">{question.text}</p>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={() => answer(false)}>
          Cancel
        </button>
        <button type="button" class="button button-strong" onClick={() => answer(true)}>
          {question.verb}
        </button>
      </div>
    </dialog>
  );
}
