/** Carries out one act: the door for pages and screens that offer acts. */
import { StatusError } from '../../api/index.ts';
import { ConnectionError } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { exitCodes } from '../exit-codes.ts';
import { restartOptions } from '../restart/options.ts';
import { runRestart } from '../restart/run-restart.ts';
import { type Act, type ActContext, type ActResult, type ActTarget, actTargetText } from './acts.ts';
import { MAX_ACT_WORDS } from './limits.ts';
import { pausePods, resumePods, tryPodsNow } from './mark-pods.ts';

/** @param reason recorded with a restart, and shown with a pause. Errors of the server are results; it rejects for bugs alone. */
export async function actOn(context: ActContext, act: Act, target: ActTarget, reason?: string): Promise<ActResult> {
  try {
    const result = await carryOut(context, act, target, reason);
    return { ...result, words: result.words.slice(0, MAX_ACT_WORDS) };
  } catch (error) {
    return { ok: false, words: `${actTargetText(target)}: ${problemOf(error)}`.slice(0, MAX_ACT_WORDS) };
  }
}

/** @throws what is no answer of the server */
function problemOf(error: unknown): string {
  if (error instanceof StatusError) return error.message;
  if (error instanceof ConnectionError) return `the server does not answer (${error.message})`;
  throw error;
}

async function carryOut(context: ActContext, act: Act, target: ActTarget, reason?: string): Promise<ActResult> {
  switch (act) {
    case 'restart':
      return await restart(context, target, reason);
    case 'try-now':
      return await tryPodsNow(context, target);
    case 'pause':
      return await pausePods(context, target, reason);
    case 'resume':
      return await resumePods(context, target);
  }
}

const RESTARTABLE: readonly string[] = ['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'];

/** A pod's restart is requested; a workload's is led by this process, and returns when it has begun. */
async function restart(context: ActContext, target: ActTarget, reason?: string): Promise<ActResult> {
  const text = actTargetText(target);
  if (!RESTARTABLE.includes(target.kind)) return { ok: false, words: `${text}: restart its pods one by one` };
  const isPod = target.kind === 'Pod';
  const options = restartOptions([text], {
    ...(reason === undefined ? {} : { reason }),
    ...(isPod && target.container !== undefined ? { container: target.container } : {}),
    ...(isPod ? { wait: false } : {}),
  });
  const said = new SaidLines();
  const session: ClusterSession = {
    ...context,
    namespace: target.namespace,
    out: (line) => said.add(line),
    err: (line) => said.add(line),
    outRaw: () => {},
    isTerminal: false,
    columns: undefined,
  };
  const all = runRestart(session, options, 'mendlet restart').then(
    (code) => ({ ok: code === exitCodes.done, words: said.last ?? `${text}: restarted` }),
    (error: unknown) => ({ ok: false, words: `${text}: ${problemOf(error)}` }),
  );
  if (isPod) return await all;
  const first = await Promise.race([all, said.first.then((words) => ({ ok: true, words, rest: bounded(all) }))]);
  return first;
}

async function bounded(result: Promise<ActResult>): Promise<ActResult> {
  const { ok, words } = await result.catch(() => ({ ok: false, words: 'the restart broke off' }));
  return { ok, words: words.slice(0, MAX_ACT_WORDS) };
}

/** What a verb prints, line by line: the first and the last. */
class SaidLines {
  readonly first: Promise<string>;
  last: string | undefined;
  #tell: (line: string) => void = () => {};

  constructor() {
    this.first = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  add(text: string): void {
    const line = text.trim().split('\n').at(-1) ?? '';
    if (line === '') return;
    this.last = line;
    this.#tell(line);
  }
}
