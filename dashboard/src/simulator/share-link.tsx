import { useEffect, useRef, useState } from 'preact/hooks';
import type { Choice } from './protocol.js';
import { toFragment } from './share.js';

/** Puts a link to a simulation into the address bar and the clipboard, and shows it where there is none. */
export function ShareLink({ choice }: { readonly choice: Choice | undefined }) {
  const [said, setSaid] = useState<string>();
  const [link, setLink] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  // A link to something else than what stands in the form would only mislead.
  useEffect(() => {
    setSaid(undefined);
    setLink(undefined);
  }, [JSON.stringify(choice)]);
  useEffect(() => field.current?.select(), [link]);
  const share = async () => {
    if (choice === undefined) return;
    const fragment = await toFragment(choice);
    if (fragment === undefined) {
      setSaid('This fleet is too long for a link: send the text itself.');
      return;
    }
    history.replaceState(null, '', `#${fragment}`);
    setLink(location.href);
    setSaid((await copy(location.href)) ? 'The link is in the clipboard.' : 'Copy this link:');
  };
  return (
    <>
      <button type="button" class="button" disabled={choice === undefined} onClick={share}>
        Share
      </button>
      <span role="status">{said}</span>
      {link !== undefined && (
        <input
          ref={field}
          class="sim-input sim-link"
          readOnly
          aria-label="link to this simulation"
          value={link}
        />
      )}
    </>
  );
}

/** Only pages that came over a secure line may. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
