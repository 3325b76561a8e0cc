/**
 * The program of the verbs that end soon: those that ask a cluster, and those that look at a data folder. It is bundled apart from
 * `main.ts`, because reading the code of server and agent takes half of the time of a short call.
 */
import { UsageError } from '../cli/index.ts';
import { runProgram } from './run-program.ts';

await runProgram({
  // Each of them alone needs the runtime, SQLite or tokens.
  down: async (options, context) => (await import('./down.ts')).down(options, context),
  dashboard: async (options, context) => (await import('./dashboard.ts')).dashboard(options, context),
  store: async (options, context) => (await import('./store.ts')).store(options, context),
  token: async (options, context) => (await import('./token.ts')).token(options, context),
  image: async (options, context) => (await import('./image.ts')).image(options, context),
  // `bin.ts` leads to `main.ts` where one of these is the first argument.
  up: () => Promise.reject(verbFirst('up')),
  server: () => Promise.reject(verbFirst('server')),
  agent: () => Promise.reject(verbFirst('agent')),
  healer: () => Promise.reject(verbFirst('healer')),
});

function verbFirst(verb: string): UsageError {
  return new UsageError(`write the verb first: mendlet ${verb} [flags]`);
}
