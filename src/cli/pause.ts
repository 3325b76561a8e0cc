/** Defines the verbs `mendlet pause` and `mendlet resume`. */
import { Command, Option } from 'commander';
import { runActs } from './acts/run-acts.ts';
import { type ClusterChoice, choiceOf, type WithCluster, withClusterFlags } from './cluster-session.ts';
import { type ExitCode, exitCodesHelp } from './exit-codes.ts';

const TARGETS =
  'pod/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME, rc/NAME, job/NAME, cronjob/NAME; or a kind and names';

const pauseHelp = (program: string): string => `
Examples:
  ${program} pod/web --reason "looking at a deadlock"
  ${program} deploy/web                              all its pods, also those that it gets later

While its healing is paused, a container that ends stays as it ended, also after a reboot of its node, and one that runs is not
ended for its liveness or startup probe. It still gets traffic only while its readiness probe says so. Whatever somebody asks for
is done: restart, try-now, a change of the pod, a deletion. The pause of a Deployment, StatefulSet or DaemonSet holds for the pods
that it gets later, too; that of another workload is one of the pods that it has.
The pod's condition mendlet.dev/HealingPaused, its events, "why" and "watch" say that it is paused.
Needs the right to patch pods, and for pods to come that to patch their workload.

${exitCodesHelp}`;

const resumeHelp = (program: string): string => `
Examples:
  ${program} pod/web
  ${program} deploy/web

What has ended meanwhile is started again after its back-off, which counts from its end.
Needs the right to patch pods.

${exitCodesHelp}`;

interface PauseFlags extends ClusterChoice {
  readonly reason?: string;
}

/**
 * @param program the name for hints: "mendlet pause" or "kubectl pause"
 * @param finish receives the exit code
 */
export function pauseCommand(withCluster: WithCluster, finish: (code: ExitCode) => void, program: string): Command {
  return withClusterFlags(new Command('pause'))
    .summary('pause the healing of pods: what ends stays as it ended')
    .description('Pauses the healing of pods, so that somebody can look at them as they are.')
    .argument('<TARGET...>', TARGETS)
    .addOption(new Option('--reason <TEXT>', 'the reason, shown wherever the pause is'))
    .addHelpText('after', pauseHelp(program))
    .action(async (args: readonly string[], flags: PauseFlags) => {
      finish(await withCluster(choiceOf(flags), (session) => runActs(session, 'pause', args, flags.reason)));
    });
}

/**
 * @param program the name for hints: "mendlet resume" or "kubectl resume"
 * @param finish receives the exit code
 */
export function resumeCommand(withCluster: WithCluster, finish: (code: ExitCode) => void, program: string): Command {
  return withClusterFlags(new Command('resume'))
    .summary('resume the healing of pods that was paused')
    .description('Resumes the healing of pods that was paused.')
    .argument('<TARGET...>', TARGETS)
    .addHelpText('after', resumeHelp(program))
    .action(async (args: readonly string[], flags: ClusterChoice) => {
      finish(await withCluster(choiceOf(flags), (session) => runActs(session, 'resume', args)));
    });
}
