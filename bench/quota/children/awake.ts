import { setPriority } from 'node:os';

const DOCUMENT = JSON.stringify(
  Array.from({ length: 2_000 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a', 'b'] })),
);

/** From now on this process takes what nobody else wants of a core: the machine is one in use, and does not fall asleep. */
export function stayAwake(): void {
  setPriority(19);
  const work = () => {
    JSON.parse(DOCUMENT);
    setImmediate(work);
  };
  work();
}
