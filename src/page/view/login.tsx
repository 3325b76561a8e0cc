/** What is shown to who has no session: where the link comes from, and a form for a token. */
import type { VNode } from 'preact';

export interface LoginProps {
  /** Why the last try failed. */
  readonly problem?: string;
  readonly isBusy: boolean;
  /** A one-time link is being redeemed. */
  readonly hasCode: boolean;
  readonly onToken: (token: string) => void;
}

export function LoginForm({ problem, isBusy, hasCode, onToken }: LoginProps): VNode {
  return (
    <main class="login">
      <p class="brand">
        <strong>mendlet</strong>
      </p>
      <h1>Sign in</h1>
      <p>
        <code>mendlet dashboard</code> prints a link that signs you in, once, within a minute. Or paste a token of the
        cluster:
      </p>
      <noscript>
        <p class="banner">To sign in, this page needs its script.</p>
      </noscript>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.elements.namedItem('token') as { value: string } | null;
          onToken(field?.value.trim() ?? '');
        }}
      >
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          autocomplete="off"
          spellcheck={false}
          aria-describedby="login-problem"
        />
        <p id="login-problem" role="alert" class="problem">
          {problem ?? ''}
        </p>
        <button type="submit" class="button is-sure" disabled={isBusy}>
          {isBusy ? (hasCode ? 'Opening your link…' : 'Asking…') : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
