/** postStart and preStop: exec, httpGet, sleep (upstream: lifecycle/handlers.go). */
import type { Container, HTTPGetAction, LifecycleHandler } from '../../api/index.ts';
import { errorMessage } from '../../lib/index.ts';
import type { VerbContext } from './context.ts';
import { HTTP_HOOK_TIMEOUT_MS } from './limits.ts';

export interface HookTarget {
  readonly containerId: string;
  readonly podIp: string;
  readonly container: Container;
  readonly timeoutMs: number;
  /** Ends the hook early. */
  readonly signal: AbortSignal;
}

type HookContext = Pick<VerbContext, 'clock' | 'runtime' | 'probeTransport'>;

/** What went wrong, or `undefined`. Never rejects. Ends when the signal is aborted, whatever the hook does. */
export async function runHook(
  context: HookContext,
  hook: LifecycleHandler,
  target: HookTarget,
): Promise<string | undefined> {
  const aborted = new Promise<string>((resolve) => {
    if (target.signal.aborted) resolve('the hook was cut short');
    target.signal.addEventListener('abort', () => resolve('the hook was cut short'), { once: true });
  });
  try {
    return await Promise.race([run(context, hook, target), aborted]);
  } catch (error) {
    return errorMessage(error);
  }
}

async function run(context: HookContext, hook: LifecycleHandler, target: HookTarget): Promise<string | undefined> {
  if (hook.exec !== undefined) {
    const result = await context.runtime.execSync(target.containerId, hook.exec.command ?? [], target.timeoutMs);
    if (result.exitCode === 0) return undefined;
    return `command exited with ${result.exitCode}: ${result.stdout}${result.stderr}`;
  }
  if (hook.httpGet !== undefined) return await httpHook(context, hook.httpGet, target);
  if (hook.sleep !== undefined) {
    await context.clock.sleep(Math.min(hook.sleep.seconds * 1000, target.timeoutMs), target.signal).catch(() => {});
    return undefined;
  }
  return 'the hook has no handler that can be run';
}

async function httpHook(context: HookContext, get: HTTPGetAction, target: HookTarget): Promise<string | undefined> {
  const port = hookPort(get, target.container);
  if (port === undefined) return `the container has no port "${get.port}"`;
  const attempt = await context.probeTransport.http({
    scheme: get.scheme === 'HTTPS' ? 'https' : 'http',
    host: get.host === undefined || get.host === '' ? target.podIp : get.host,
    port,
    path: get.path ?? '/',
    headers: (get.httpHeaders ?? []).map(({ name, value }) => ({ name, value })),
    timeoutMs: Math.min(target.timeoutMs, HTTP_HOOK_TIMEOUT_MS),
  });
  return attempt.result === 'success' ? undefined : attempt.output;
}

function hookPort({ port }: HTTPGetAction, container: Container): number | undefined {
  const number = Number(port);
  if (Number.isInteger(number) && number > 0) return number;
  return container.ports?.find(({ name }) => name === port)?.containerPort;
}
