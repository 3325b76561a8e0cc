/** postStart and preStop: exec, httpGet, sleep (upstream: lifecycle/handlers.go). */
import type { Container, HTTPGetAction, LifecycleHandler, Pod } from '../../api/index.ts';
import { errorMessage } from '../../lib/index.ts';
import { maskSecrets } from '../../log-analysis/index.ts';
import type { ProbeAttempt } from '../ports.ts';
import type { ExecuteParts, ExecutePorts } from './context.ts';
import { commandFailure } from './hook-failure.ts';
import { HTTP_HOOK_TIMEOUT_MS, MAX_FAILURE_MESSAGE } from './limits.ts';

export interface HookTarget {
  readonly pod: Pod;
  readonly containerId: string;
  readonly podIp: string;
  readonly container: Container;
  readonly timeoutMs: number;
  /** Ends the hook early. */
  readonly signal: AbortSignal;
}

export interface HookContext {
  readonly ports: Pick<ExecutePorts, 'clock' | 'runtime' | 'probeTransport'>;
  readonly parts: Pick<ExecuteParts, 'blackBox' | 'events'>;
}

/** containerd's number of an exec, with which each failure would have an event of its own. */
const ATTEMPT = /failed to start exec "[0-9a-f]{64}": /;

/** The problem, without what is secret, or `undefined`. Never rejects. Ends when the signal is aborted, whatever the hook does. */
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
    return maskSecrets(errorMessage(error).slice(0, MAX_FAILURE_MESSAGE)).replace(ATTEMPT, '');
  }
}

async function run(context: HookContext, hook: LifecycleHandler, target: HookTarget): Promise<string | undefined> {
  if (hook.exec !== undefined) {
    const { command = [] } = hook.exec;
    const result = await context.ports.runtime.execSync(target.containerId, command, target.timeoutMs);
    if (result.exitCode === 0) return undefined;
    return commandFailure({ command, ...result }, (await context.parts.blackBox?.secretValues(target.pod)) ?? []);
  }
  if (hook.httpGet !== undefined) return await httpHook(context, hook.httpGet, target);
  if (hook.sleep !== undefined) {
    if (hook.sleep.seconds === 0) return undefined;
    await context.ports.clock
      .sleep(Math.min(hook.sleep.seconds * 1000, target.timeoutMs), target.signal)
      .catch(() => {});
    return undefined;
  }
  return 'the hook has no handler that can be run';
}

/** Any answer counts as success, because a hook only notifies. Failures have upstream's words. */
async function httpHook(context: HookContext, get: HTTPGetAction, target: HookTarget): Promise<string | undefined> {
  const port = hookPort(get, target.container);
  if (port === undefined) return `the container has no port "${get.port}"`;
  const scheme = get.scheme === 'HTTPS' ? 'https' : 'http';
  const request = {
    scheme,
    host: get.host === undefined || get.host === '' ? target.podIp : get.host,
    port,
    path: get.path ?? '/',
    headers: hookHeaders(get),
    timeoutMs: Math.min(target.timeoutMs, HTTP_HOOK_TIMEOUT_MS),
  } as const;
  const attempt = await context.ports.probeTransport.http(request);
  if (wasAnswered(attempt)) return undefined;
  if (scheme !== 'https' || !attempt.output.includes(PLAIN_ANSWER)) return attempt.output;
  // Old manifests say HTTPS for servers that speak HTTP; secret headers are left out of the second attempt.
  const headers = request.headers.filter(({ name }) => name.toLowerCase() !== 'authorization');
  const again = await context.ports.probeTransport.http({ ...request, scheme: 'http', headers });
  if (!wasAnswered(again)) return attempt.output;
  const message = 'request to HTTPS lifecycle hook got HTTP response, retry with HTTP succeeded';
  context.parts.events.pod(target.pod, 'Warning', 'LifecycleHTTPFallback', message);
  return undefined;
}

/** Message of the transport when a server that speaks HTTP was asked for TLS. */
const PLAIN_ANSWER = 'server gave HTTP response to HTTPS client';

/** The transport was made for probes, which hold a status against the server. */
function wasAnswered({ result, output }: ProbeAttempt): boolean {
  return result === 'success' || output.startsWith('HTTP probe failed with statuscode');
}

/** Upstream's defaults; an empty value takes one away. */
function hookHeaders({ httpHeaders = [] }: HTTPGetAction): { readonly name: string; readonly value: string }[] {
  const has = (wanted: string) => httpHeaders.some(({ name }) => name.toLowerCase() === wanted);
  const given = httpHeaders.filter(
    ({ name, value }) => value !== '' || !['user-agent', 'accept'].includes(name.toLowerCase()),
  );
  return [
    ...given.map(({ name, value }) => ({ name, value })),
    ...(has('user-agent') ? [] : [{ name: 'User-Agent', value: 'kube-lifecycle/1.36' }]),
    ...(has('accept') ? [] : [{ name: 'Accept', value: '*/*' }]),
  ];
}

/** By number or by the name of one of the container's ports; 80 where nothing is said. */
function hookPort({ port }: HTTPGetAction, container: Container): number | undefined {
  if (port === '' || port === undefined) return 80;
  const number = Number(port);
  if (Number.isInteger(number) && number > 0) return number;
  return container.ports?.find(({ name }) => name === port)?.containerPort;
}
