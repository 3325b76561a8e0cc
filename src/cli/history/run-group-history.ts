/** Runs `history` of a workload or a namespace on an open cluster. */
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';
import { Asker } from '../why/ask.ts';
import { gatherGroup } from './gather-group.ts';
import { groupLines } from './group-lines.ts';
import type { GroupKind } from './history-target.ts';
import type { HistoryOptions } from './run-history.ts';

export interface GroupOptions extends Omit<HistoryOptions, 'pod'> {
  readonly kind: GroupKind;
  readonly name: string;
}

/** @throws UsageError, StatusError, ConnectionError */
export async function runGroupHistory(session: ClusterSession, options: GroupOptions): Promise<ExitCode> {
  const { kind, name, container, output } = options;
  if (options.death !== undefined || options.uid !== undefined)
    throw new UsageError('--death and --uid are about one pod: name it, for instance pod/web.');
  const { items, rollouts, notes } = await gatherGroup(new Asker(session), kind, name);
  const target = `${kind.toLowerCase()}/${name}`;
  if (output === 'json') {
    const chosen = items.map((item) => ({
      ...item,
      containers: item.containers.filter((each) => container === undefined || each.name === container),
    }));
    const answer = {
      apiVersion: 'mendlet.dev/v1alpha1',
      kind: 'WorkloadHistory',
      subject: { kind: kind.toLowerCase(), ...(kind === 'Namespace' ? {} : { namespace: session.namespace }), name },
      items: chosen,
      rollouts: rollouts.map(({ makers: _makers, changesSince: _since, ...rollout }) => rollout),
      ...(notes.length === 0 ? {} : { notLookedAt: notes }),
    };
    session.out(`${JSON.stringify(answer, undefined, 2)}\n`);
    return exitCodes.done;
  }
  for (const note of notes) session.err(`mendlet: not looked at: ${note}\n`);
  const table = {
    wide: output === 'wide',
    now: session.clock.now().wall,
    columns: session.columns,
    ...(container === undefined ? {} : { container }),
  };
  const lines = groupLines(items, rollouts, table);
  session.out(lines.map((line) => `${line}\n`).join(''));
  const hasDeaths = items.some(({ containers }) =>
    containers.some((each) => each.deaths.length > 0 && (container === undefined || each.name === container)),
  );
  if (!hasDeaths) {
    const whose = container === undefined ? 'a pod' : `container ${container} of a pod`;
    session.err(`No death of ${whose} of ${target} is known.\n`);
  }
  return exitCodes.done;
}
