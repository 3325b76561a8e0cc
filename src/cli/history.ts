/** Defines the verb `mendlet history`. */
import { Command, Option } from 'commander';
import {
  type ClusterChoice,
  type ClusterSession,
  choiceOf,
  type WithCluster,
  withClusterFlags,
} from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';
import { valueOf } from './flag-parser.ts';
import { type HistoryTarget, historyTarget } from './history/history-target.ts';
import { parseDeath } from './history/pod-target.ts';
import { runGroupHistory } from './history/run-group-history.ts';
import { type HistoryOptions, runHistory } from './history/run-history.ts';

const help = (program: string): string => `
Examples:
  ${program} pod/web                    each death of each container: when, how, why, and what followed
  ${program} pod/web -c main -o wide    the same with times and images, and with full texts
  ${program} pod/web --death 1          all facts of the first death: probe outputs, earlier changes, log
  ${program} pod/web --death -1         all facts of the last death
  ${program} pod/web -o json            a PodHistoryList
  ${program} deploy/web                 the deaths of all its pods, gone ones too, with its rollouts between them
  ${program} ns/shop -o wide            the same of everything in a namespace

Nodes remember the first death and the last 50 deaths of each container; they forget a pod a day after it is gone. The nodes
must run mendlet's agent. With another API server the nodes are asked through nodes/NODE/proxy.

${exitCodesHelp}`;

export interface PodFlags extends ClusterChoice {
  readonly container?: string;
  readonly uid?: string;
  readonly death?: number;
}

interface HistoryFlags extends PodFlags {
  readonly output: HistoryOptions['output'];
}

/**
 * @param program the name for hints: "mendlet history" or "kubectl history"
 * @param finish receives the exit code
 */
export function historyCommand(withCluster: WithCluster, finish: (code: ExitCode) => void, program: string): Command {
  const command = withClusterFlags(new Command('history'))
    .summary('show how the containers of a pod or a workload died')
    .description('Shows how containers died, as their nodes remember it, even when their pods are gone.')
    .argument('<TARGET...>', 'pod/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME, job/NAME, cronjob/NAME or ns/NAME');
  return withPodFlags(command)
    .addOption(
      new Option('--death <N>', 'all facts of one death: 1 is the first, -1 the last').argParser(valueOf(parseDeath)),
    )
    .addOption(
      new Option('-o, --output <FORMAT>', 'format of the output').choices(['table', 'wide', 'json']).default('table'),
    )
    .addHelpText('after', help(program))
    .action(async (args: readonly string[], flags: HistoryFlags) => {
      const target = historyTarget(args);
      const options = { ...podFlags(flags), output: flags.output };
      finish(await withCluster(choiceOf(flags), (session) => runOf(session, target, options)));
    });
}

function runOf(
  session: ClusterSession,
  target: HistoryTarget,
  options: Omit<HistoryOptions, 'pod'>,
): Promise<ExitCode> {
  if (target.kind === 'Pod') return runHistory(session, { ...options, pod: target.name });
  return runGroupHistory(session, { ...options, kind: target.kind, name: target.name });
}

/** Adds -c and --uid. */
export function withPodFlags(command: Command): Command {
  return command
    .addOption(new Option('-c, --container <NAME>', 'one container'))
    .addOption(new Option('--uid <UID>', 'one of several pods that had this name'));
}

export function podFlags({ container, uid, death }: PodFlags): Pick<PodFlags, 'container' | 'uid' | 'death'> {
  return {
    ...(container === undefined ? {} : { container }),
    ...(uid === undefined ? {} : { uid }),
    ...(death === undefined ? {} : { death }),
  };
}
