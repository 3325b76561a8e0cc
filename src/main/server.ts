/** `mendlet server`: the control plane alone, from an open data folder; then waits for its end. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ServerFlags } from '../cli/index.ts';
import type { KubeClient } from '../client/index.ts';
import { formatAddress } from '../apiserver/edge/server.node.ts';
import { systemClock } from '../lib/clock.node.ts';
import { formatTime } from '../lib/index.ts';
import { createLogger } from '../lib/logger.node.ts';
import { systemRandom } from '../lib/random.node.ts';
import { advertisedAddress } from './addresses.ts';
import { clusterSettings } from './cluster-settings.ts';
import type { MainContext } from './context.ts';
import { type ControlPlane, selfUser, startControlPlane } from './control-plane.ts';
import { openDataDir } from './data-dir.node.ts';
import { defaultDataDir } from './data-dir-path.ts';
import { layGround } from './ground.ts';
import { publishClusterInfo } from './join/cluster-info.ts';
import { joinCommand } from './join/join-command.ts';
import { authorityHash } from './join/pin.node.ts';
import { ensureServerToken } from './join/server-token.ts';
import { machineAddresses } from './machine-addresses.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { systemProcess } from '../lib/process.node.ts';
import { keepNodeRoutes, removeNodeRoutes } from '../network/index.ts';
import { openNetworkMachine } from '../network/network-machine.node.ts';
import { refuseTakenPort } from './taken-port.node.ts';
import { aborted } from './until-aborted.ts';
import { nodeNameOf, readRecord, refuseOtherRole } from './up-record.node.ts';

/** @throws UserError for everything that the user can change; resolves when it was told to end */
export async function server(options: ServerFlags, context: MainContext): Promise<void> {
  const cluster = clusterSettings(options);
  const holder = { pid: context.pid, verb: 'server', since: formatTime(systemClock.now().wall) };
  const folder = options.dataDir ?? defaultDataDir(context.user);
  // A taken address must not leave a new folder behind.
  if (!existsSync(folder)) await refuseTakenPort(options.listen);
  const dataDir = openDataDir(folder, { holder, random: systemRandom });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => dataDir.release());
  const say = (text: string): void => context.err(`mendlet: ${text}\n`);
  if (dataDir.migratedFrom !== undefined)
    say(`the data folder was migrated; as it was is kept in ${dataDir.migratedFrom}`);
  refuseOtherRole(dataDir.paths, readRecord(dataDir.paths), 'server');
  const ground = layGround(createLogger({ format: options.logFormat }));
  const { clock, random, logger, background } = ground;
  const { clusterCidr, nodeCidrMaskSize, serviceCidr, listen } = options;
  const machine = await machineAddresses();
  const advertised = advertisedAddress(listen, options.advertiseAddress, machine);
  const name = nodeNameOf(hostname());
  say('starting the API server');
  const plane = await startControlPlane(
    ground,
    {
      dataDir,
      listen,
      names: {
        nodeName: name,
        server: [...new Set([name, ...(advertised === undefined ? [] : [advertised]), ...machine])],
        kubelet: [],
      },
      network: {
        ...(serviceCidr && { serviceCidr: serviceCidr.text }),
        nodeIpam: { clusterCidr: clusterCidr.text, nodeMaskSize: nodeCidrMaskSize },
      },
      cluster,
    },
    stack,
  );
  const client = plane.client(selfUser, 'server');
  const work = { client, clock, random };
  const token = await ensureServerToken(work, options.token);
  context.out(`mendlet server ready: kubeconfig ${dataDir.paths.kubeconfig}\n`);
  await tellHowToJoin(plane, client, { advertised, token }, context);
  if (context.user.uid === 0) {
    // Proxies to pods and services go through this machine.
    const node = {
      nodeName: '',
      podCidr: '',
      instanceId: dataDir.instanceId,
      file: join(dataDir.paths.dir, 'peers.json'),
    };
    const machine = openNetworkMachine(systemProcess);
    const ports = { ...work, machine, fs: systemFileSystem, logger: logger.child({ component: 'routes' }) };
    background.start('routes', (signal) => keepNodeRoutes(ports, node, signal));
    stack.defer(() => removeNodeRoutes(machine, dataDir.instanceId));
    stack.defer(() => background.end());
  }
  await Promise.race([background.failed, aborted(context.stop)]);
  say('ending; pods go on running on their nodes');
}

/** The line that other machines join with, where they can reach this one. */
async function tellHowToJoin(
  plane: ControlPlane,
  client: KubeClient,
  {
    advertised,
    token,
  }: { readonly advertised: string | undefined; readonly token: Awaited<ReturnType<typeof ensureServerToken>> },
  context: MainContext,
): Promise<void> {
  if (advertised === undefined) {
    await publishClusterInfo(client, undefined);
    context.err(
      `mendlet: only this machine reaches ${formatAddress(plane.address)}: for others to join, give another --listen\n`,
    );
  } else {
    const { port } = plane.address;
    await plane.server.publish({ ip: advertised, port });
    const url = `https://${formatAddress({ host: advertised, port })}`;
    await publishClusterInfo(client, { server: url, authorityPem: plane.pki.authorityPem });
    const hash = authorityHash(plane.pki.authorityPem);
    context.out(`${joinCommand(context, url, { ...token, authorityHash: hash })}\n`);
  }
}
