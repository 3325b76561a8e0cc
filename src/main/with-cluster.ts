/** Opens the cluster that a call's flags, environment and home name, for the verbs that ask it something. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StatusError } from '../api/index.ts';
import { type ClusterChoice, type ClusterVerb, type ExitCode, exitCodes, UsageError } from '../cli/index.ts';
import { createHttpConnection } from '../client/http-connection.node.ts';
import { createKubeClient, KubeconfigError, readKubeconfig } from '../client/index.ts';
import { systemClock } from '../lib/clock.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { ConnectionError } from '../lib/index.ts';
import { certificateFacts } from './certificate-facts.node.ts';
import type { MainContext } from './context.ts';
import { dataPaths, defaultDataDir } from './data-dir-path.ts';
import { onReaderGone } from './terminal.node.ts';
import { UserError } from './user-error.ts';
import { mendletVersion } from './version.ts';

/** @throws UserError */
export async function withCluster(choice: ClusterChoice, verb: ClusterVerb, context: MainContext): Promise<ExitCode> {
  const path = kubeconfigOf(choice, context);
  const access = await readKubeconfig({
    path,
    fs: systemFileSystem,
    ...(choice.context === undefined ? {} : { context: choice.context }),
  }).catch((error: unknown) => {
    throw error instanceof KubeconfigError ? new UserError(error.message, { cause: error }) : error;
  });
  const connection = createHttpConnection({ ...access, clock: systemClock });
  const readerGone = new AbortController();
  const leave = onReaderGone(() => readerGone.abort());
  try {
    return await verb({
      client: createKubeClient(connection, { clock: systemClock, userAgent: `mendlet/${mendletVersion}` }),
      connection,
      namespace: choice.namespace ?? access.namespace ?? 'default',
      clock: systemClock,
      signal: context.stop,
      readerGone: readerGone.signal,
      out: context.out,
      err: context.err,
      outRaw: context.outRaw,
      isTerminal: context.screen !== undefined,
      columns: context.screen?.columns(),
      ...(context.screen === undefined ? {} : { screen: context.screen }),
      readCertificate: certificateFacts,
      isPlain: (context.user.env['NO_COLOR'] ?? '') !== '',
    });
  } catch (error) {
    if (context.stop.aborted) return exitCodes.failed;
    if (error instanceof ConnectionError) {
      throw new UserError(`${access.server} does not answer (${error.message})`, { cause: error });
    }
    if (error instanceof StatusError) throw new UserError(error.message, { cause: error });
    throw error;
  } finally {
    leave();
    connection.close();
  }
}

/** As kubectl looks for it; then what `mendlet up` and `mendlet server` write. */
export function kubeconfigOf({ kubeconfig }: ClusterChoice, context: MainContext): string {
  if (kubeconfig === '') throw new UsageError('--kubeconfig is empty');
  if (kubeconfig !== undefined) return resolve(kubeconfig);
  const [fromEnv] = (context.user.env['KUBECONFIG'] ?? '').split(':').filter((part) => part !== '');
  if (fromEnv !== undefined) return resolve(fromEnv);
  const places = [join(context.user.home, '.kube/config'), dataPaths(defaultDataDir(context.user)).kubeconfig];
  const found = places.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new UserError(`there is no kubeconfig: none of ${places.join(', ')}; name one by --kubeconfig or $KUBECONFIG`);
}
