/** Runs one call of the program. The only reader of arguments, environment and signals: everything else is given what it needs. */
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callOf, type ExitCode, exitCodes, runCommandLine, type Verbs } from '../cli/index.ts';
import { visibleText } from '../lib/index.ts';
import type { MainContext } from './context.ts';
import { findCheckout } from './set-up/checkout.node.ts';
import { terminal } from './terminal.node.ts';
import { UserError } from './user-error.ts';
import { kubernetesVersion, mendletVersion } from './version.ts';
import { withCluster } from './with-cluster.ts';

/** Does all it was asked for, or throws. */
type Verb<T> = (options: T, context: MainContext) => Promise<void>;

/** The verbs that are implemented beside this file; those that query a cluster are in `cli`. */
export type ProgramVerbs = { readonly [Name in keyof Verbs]: Verb<Parameters<Verbs[Name]>[0]> };

/** As a shell counts a death by signal. */
const signalExitCode = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Does what the arguments of this process ask for, and ends the process. */
export async function runProgram(verbs: ProgramVerbs): Promise<never> {
  const stop = new AbortController();
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(signalExitCode[signal]);
      stop.abort(signal);
    });
  }
  // A reader of our output that went away (`mendlet up | head`) must not end the pods' keeper.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

  const context: MainContext = {
    user: { env: process.env, uid: process.getuid?.() ?? 0, home: homedir() },
    pid: process.pid,
    stop: stop.signal,
    checkout: findCheckout(dirname(fileURLToPath(import.meta.url))),
    // A dumb terminal shows lines, and nothing that moves.
    screen: process.stdout.isTTY && process.env['TERM'] !== 'dumb' ? terminal() : undefined,
    out: (text) => void process.stdout.write(visibleText(text)),
    err: (text) => void process.stderr.write(visibleText(text)),
    outRaw: (data) => void process.stdout.write(data),
  };

  process.exitCode = await callVerb(verbs, context).catch((error: unknown) => {
    if (error instanceof UserError) {
      context.err(`mendlet: ${error.message}\n`);
      return error.exitCode;
    }
    // A full disk or a folder without write permission is a problem of the machine, not a bug whose stack matters.
    if (isSystemError(error)) {
      context.err(`mendlet: ${error.message}\n`);
      return exitCodes.failed;
    }
    throw error;
  });
  // Nothing may keep a finished program alive; all necessary work has been awaited.
  process.exit();
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'errno' in error && 'syscall' in error;
}

function callVerb(verbs: ProgramVerbs, context: MainContext): Promise<number> {
  const { calledAs, args } = callOf(process.argv[1], process.argv.slice(2));
  return runCommandLine(args, {
    calledAs,
    versions: { mendlet: mendletVersion, kubernetes: kubernetesVersion, node: process.versions.node },
    verbs: {
      up: done(verbs.up, context),
      down: done(verbs.down, context),
      dashboard: done(verbs.dashboard, context),
      server: done(verbs.server, context),
      agent: done(verbs.agent, context),
      store: done(verbs.store, context),
      token: done(verbs.token, context),
      image: done(verbs.image, context),
      healer: done(verbs.healer, context),
    },
    withCluster: (choice, verb) => withCluster(choice, verb, context),
    out: context.out,
    err: context.err,
    ...(process.stdout.columns === undefined ? {} : { columns: Math.min(process.stdout.columns, 120) }),
  });
}

/** A verb that either does all it was asked for, or throws. */
function done<T>(verb: Verb<T>, context: MainContext): (options: T) => Promise<ExitCode> {
  return async (options) => {
    await verb(options, context);
    return exitCodes.done;
  };
}
