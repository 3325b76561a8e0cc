/** Builds the command line from its verbs, and turns the end of a call into an exit code. */
import { Command, CommanderError } from 'commander';
import { type AgentFlags, agentCommand } from './agent.ts';
import type { WithCluster } from './cluster-session.ts';
import { type DashboardFlags, dashboardCommand } from './dashboard.ts';
import { doctorCommand } from './doctor.ts';
import { type DownFlags, downCommand } from './down.ts';
import { type ExitCode, exitCodes, exitCodesHelp } from './exit-codes.ts';
import { type HealerOptions, healerCommand } from './healer.ts';
import { historyCommand } from './history.ts';
import { type ImageOptions, imageCommand } from './image.ts';
import { logsCommand } from './logs.ts';
import { pauseCommand, resumeCommand } from './pause.ts';
import { restartCommand } from './restart.ts';
import { type ServerFlags, serverCommand } from './server.ts';
import { type StoreOptions, storeCommand } from './store.ts';
import { type TokenOptions, tokenCommand } from './token.ts';
import { tryNowCommand } from './try-now.ts';
import { type UpFlags, upCommand } from './up.ts';
import { UsageError } from './usage-error.ts';
import { type Versions, versionCommand } from './version.ts';
import { volumesCommand } from './volumes.ts';
import { watchCommand } from './watch.ts';
import { whyCommand } from './why.ts';

/** The verbs that `main` implements. */
export interface Verbs {
  up(options: UpFlags): Promise<ExitCode>;
  down(options: DownFlags): Promise<ExitCode>;
  dashboard(options: DashboardFlags): Promise<ExitCode>;
  server(options: ServerFlags): Promise<ExitCode>;
  agent(options: AgentFlags): Promise<ExitCode>;
  store(options: StoreOptions): Promise<ExitCode>;
  token(options: TokenOptions): Promise<ExitCode>;
  image(options: ImageOptions): Promise<ExitCode>;
  healer(options: HealerOptions): Promise<ExitCode>;
}

/** The context of one call of the command line. */
export interface CliContext {
  readonly versions: Versions;
  readonly verbs: Verbs;
  readonly withCluster: WithCluster;
  /** The program's name for hints; a plugin's verb reads "kubectl VERB". Default: "mendlet". */
  readonly calledAs?: 'mendlet' | 'kubectl';
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Width of --help in characters. */
  readonly columns?: number;
}

/**
 * Runs one call of the command line.
 *
 * @param args the arguments after the program's name
 * @returns the exit code; rejects only with what a verb threw
 */
export async function runCommandLine(args: readonly string[], context: CliContext): Promise<ExitCode> {
  let result: ExitCode = exitCodes.done;
  const program = createProgram(context, (code) => {
    result = code;
  });
  try {
    checkHelpVerb(program, args);
    await program.parseAsync(args, { from: 'user' });
    return result;
  } catch (error) {
    if (error instanceof UsageError) {
      context.err(`mendlet: ${error.message}\n`);
      return exitCodes.usage;
    }
    if (!(error instanceof CommanderError)) throw error;
    // commander throws for --help and --version, too, with code 0. A call without a verb prints the help on standard error.
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
}

function createProgram(context: CliContext, finish: (code: ExitCode) => void): Command {
  const { verbs } = context;
  const name = context.calledAs ?? 'mendlet';
  const program = new Command(name)
    .description('Pods that heal: a Kubernetes-compatible node agent with a small control plane.')
    .version(`mendlet ${context.versions.mendlet}`, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [verb]', 'print the help of a verb')
    .addHelpText('after', `\n"mendlet VERB --help" prints the help of a verb.\n\n${exitCodesHelp}`);
  program.addCommand(upCommand(async (options) => finish(await verbs.up(options))));
  program.addCommand(downCommand(async (options) => finish(await verbs.down(options))));
  program.addCommand(serverCommand(async (options) => finish(await verbs.server(options))));
  program.addCommand(agentCommand(async (options) => finish(await verbs.agent(options))));
  program.addCommand(storeCommand(async (options) => finish(await verbs.store(options))));
  program.addCommand(tokenCommand(async (options) => finish(await verbs.token(options))));
  program.addCommand(imageCommand(async (options) => finish(await verbs.image(options))));
  program.addCommand(restartCommand(context.withCluster, finish, `${name} restart`));
  program.addCommand(tryNowCommand(context.withCluster, finish, `${name} try-now`));
  program.addCommand(pauseCommand(context.withCluster, finish, `${name} pause`));
  program.addCommand(resumeCommand(context.withCluster, finish, `${name} resume`));
  program.addCommand(historyCommand(context.withCluster, finish, `${name} history`));
  program.addCommand(logsCommand(context.withCluster, finish));
  program.addCommand(whyCommand(context.withCluster, finish, `${name} why`));
  program.addCommand(watchCommand(context.withCluster, finish, `${name} watch`));
  program.addCommand(dashboardCommand(async (options) => finish(await verbs.dashboard(options))));
  program.addCommand(volumesCommand(context.withCluster, finish));
  program.addCommand(doctorCommand(context.withCluster, finish, `${name} doctor`));
  program.addCommand(healerCommand(async (options) => finish(await verbs.healer(options))));
  program.addCommand(versionCommand(context.versions, context.out));
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  for (const command of [program, ...commands]) {
    command
      .exitOverride()
      .allowExcessArguments(false)
      .helpOption('-h, --help', 'print this help')
      .showSuggestionAfterError(true)
      .showHelpAfterError(`Try "${nameOf(command)} --help".`)
      .configureOutput({
        writeOut: context.out,
        writeErr: context.err,
        outputError: (text, write) => write(text.replace(/^error: /, 'mendlet: ')),
        getOutHelpWidth: () => context.columns ?? 100,
        getErrHelpWidth: () => context.columns ?? 100,
      });
  }
  return program;
}

/** Refuses "mendlet help VERB" with an unknown verb, for which commander would print the general help without a reason. */
function checkHelpVerb(program: Command, [first, verb]: readonly string[]): void {
  if (first !== 'help' || verb === undefined || verb.startsWith('-') || verb === 'help') return;
  if (program.commands.every((command) => command.name() !== verb)) {
    throw new UsageError(`unknown command '${verb}'\nTry "mendlet --help".`);
  }
}

/** The full name: "mendlet token create". */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
