/** Signs in by a one-time link or a pasted token, and then loads the page. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Login } from '../contract.ts';
import { LoginForm } from '../view/login.tsx';
import { logIn } from './server.browser.ts';

export function LoginApp({ code }: { readonly code: string | undefined }): VNode {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  // As the server drew it: what is taken over is not compared.
  const [isBusy, setBusy] = useState(false);
  const enter = (login: Login): void => {
    setBusy(true);
    setProblem(undefined);
    logIn(login).then(
      () => location.replace('/'),
      (error: unknown) => {
        setBusy(false);
        setProblem(error instanceof Error ? error.message : String(error));
      },
    );
  };
  useEffect(() => {
    if (code !== undefined) enter({ code });
  }, []);
  return (
    <LoginForm
      {...(problem === undefined ? {} : { problem })}
      isBusy={isBusy}
      hasCode={code !== undefined}
      onToken={(token) => enter({ token })}
    />
  );
}
