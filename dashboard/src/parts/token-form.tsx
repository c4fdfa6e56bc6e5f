import { useState } from 'preact/hooks';

interface TokenFormProps {
  readonly wasWrong: boolean;
  readonly onToken: (token: string) => void;
}

/** What a page without the right token shows: nothing but the question for it. */
export function TokenForm({ wasWrong, onToken }: TokenFormProps) {
  const [token, setToken] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    if (token !== '') onToken(token);
  };
  return (
    <form class="panel token-form" onSubmit={submit}>
      <h2>This admin port has a token</h2>
      <p>
        It is <code>admin.token</code> in the settings of the gateway. The page keeps it until this tab is
        closed, and sends it nowhere else.
      </p>
      <label for="token">Token</label>
      <input
        id="token"
        type="password"
        autocomplete="off"
        spellcheck={false}
        value={token}
        aria-invalid={wasWrong}
        aria-describedby={wasWrong ? 'token-wrong' : undefined}
        onInput={({ currentTarget }) => setToken(currentTarget.value)}
      />
      {wasWrong ? (
        <p id="token-wrong" class="problem" role="alert">
          That token was refused.
        </p>
      ) : undefined}
      <button type="submit" class="button button-strong">
        Show the dashboard
      </button>
    </form>
  );
}
