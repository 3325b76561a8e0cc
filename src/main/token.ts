/** `mendlet token`: through the running server of a data folder. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { bootstrapTokenEnd, CONFIG_MAPS, type ConfigMap, isNotFound, type Secret, StatusError } from '../api/index.ts';
import { exitCodes, type TokenOptions } from '../cli/index.ts';
import { createHttpConnection } from '../client/http-connection.node.ts';
import {
  createKubeClient,
  KubeconfigError,
  type KubeClient,
  readKubeconfig,
  type ServerAccess,
} from '../client/index.ts';
import { systemClock } from '../lib/clock.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { ConnectionError, formatTime } from '../lib/index.ts';
import { systemRandom } from '../lib/random.node.ts';
import type { MainContext } from './context.ts';
import { dataPaths, defaultDataDir } from './data-dir-path.ts';
import { CLUSTER_INFO, readClusterInfo } from './join/cluster-info.ts';
import { joinCommand } from './join/join-command.ts';
import { authorityHash } from './join/pin.node.ts';
import { createToken, deleteToken, fieldOf, listTokens } from './join/server-token.ts';
import { UserError } from './user-error.ts';

/** @throws UserError */
export async function token(options: TokenOptions, context: MainContext): Promise<void> {
  const paths = dataPaths(resolve(options.dataDir ?? defaultDataDir(context.user)));
  const access = await adminAccess(paths.dir, paths.kubeconfig);
  const connection = createHttpConnection({ ...access, clock: systemClock });
  try {
    const client = createKubeClient(connection, { clock: systemClock, userAgent: 'mendlet-token' });
    if (options.verb === 'create') await create(client, options, access, context);
    else if (options.verb === 'list') await list(client, context);
    else await remove(client, options.ids, context);
  } catch (error) {
    if (error instanceof ConnectionError) {
      throw new UserError(`the server of ${paths.dir} does not answer; is it running? (${error.message})`, {
        cause: error,
      });
    }
    if (error instanceof StatusError) throw new UserError(error.message, { cause: error });
    throw error;
  } finally {
    connection.close();
  }
}

async function adminAccess(dir: string, kubeconfig: string): Promise<ServerAccess> {
  if (!existsSync(kubeconfig)) throw new UserError(`no server has run from ${dir}: there is no ${kubeconfig}`);
  try {
    return await readKubeconfig({ path: kubeconfig, fs: systemFileSystem });
  } catch (error) {
    if (error instanceof KubeconfigError) throw new UserError(error.message, { cause: error });
    throw error;
  }
}

async function create(
  client: KubeClient,
  { ttl, description }: { readonly ttl: number; readonly description?: string },
  { authorityPem = '' }: ServerAccess,
  context: MainContext,
): Promise<void> {
  const server = await serverForOthers(client);
  const made = await createToken(
    { client, clock: systemClock, random: systemRandom },
    { lifeMs: ttl, ...(description !== undefined && { description }) },
  );
  context.out(`${joinCommand(context, server, { ...made, authorityHash: authorityHash(authorityPem) })}\n`);
}

/** @throws UserError (exit code 1) for a server that no other machine reaches */
async function serverForOthers(client: KubeClient): Promise<string> {
  const { namespace, name } = CLUSTER_INFO;
  const found = await client.get<ConfigMap>(CONFIG_MAPS, namespace, name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const info = readClusterInfo(found?.data);
  if (info !== undefined) return info.server;
  throw new UserError(
    'no other machine reaches this server: start it with --listen 0.0.0.0:6443, or an address of this machine',
    { exitCode: exitCodes.failed },
  );
}

async function list(client: KubeClient, context: MainContext): Promise<void> {
  const tokens = await listTokens(client);
  const rows = tokens.map((each) => [fieldOf(each, 'token-id'), endOf(each), fieldOf(each, 'description') || '<none>']);
  const table = [['ID', 'EXPIRES', 'DESCRIPTION'], ...rows];
  const widths = [0, 1].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table) {
    context.out(
      `${row
        .map((cell, column) => cell.padEnd((widths[column] ?? -3) + 3))
        .join('')
        .trimEnd()}\n`,
    );
  }
}

function endOf(each: Secret): string {
  const end = bootstrapTokenEnd(each);
  if (end === undefined) return '<never>';
  return end === 'unreadable' ? '<invalid>' : formatTime(end);
}

async function remove(client: KubeClient, ids: readonly string[], context: MainContext): Promise<void> {
  const missing: string[] = [];
  for (const id of ids) {
    if (await deleteToken(client, id)) context.out(`token ${id} deleted\n`);
    else missing.push(id);
  }
  if (missing.length > 0) throw new UserError(`no such token: ${missing.join(', ')}`);
}
