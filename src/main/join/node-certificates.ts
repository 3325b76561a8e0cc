/** The certificates of a node: the first ones, their names, and their renewal. */
import { X509Certificate } from 'node:crypto';
import { systemSigner } from '../../apiserver/edge/signer.node.ts';
import type { KubeletSettings, MachineFacts } from '../../kubelet/index.ts';
import { systemClock } from '../../lib/clock.node.ts';
import type { Logger } from '../../lib/index.ts';
import { systemRandom } from '../../lib/random.node.ts';
import type { Background } from '../background.ts';
import type { DataPaths } from '../data-dir-path.ts';
import type { KeyPair } from '../key-pair.ts';
import type { KubeletEdge } from '../kubelet-edge.ts';
import { outwardAddresses } from '../../network/network-machine.node.ts';
import { readServerPair, writeClientPair, writeServerPair } from './credentials.node.ts';
import { keepFresh, type KeptCertificate, type Names } from './renew-certificates.ts';
import { CLIENT_SIGNER, SERVING_SIGNER } from './request-certificate.ts';
import type { ServerWay } from './server-way.ts';
import { servingNames } from './serving-names.ts';

/** A self-signed certificate: until the server has signed one, enough for clients that do not check it. */
export async function selfSigned(nodeName: string): Promise<KeyPair> {
  const { wall } = systemClock.now();
  const yearMs = 365 * 24 * 3_600_000;
  return systemSigner.createAuthority({ commonName: nodeName, notBefore: wall - 3_600_000, notAfter: wall + yearMs });
}

/** Keeps the node's two certificates fresh until the background ends, as far as the settings say so. */
export function keepCertificates({
  way,
  edge,
  paths,
  settings,
  nodeName,
  machine,
  background,
  logger,
}: {
  readonly way: ServerWay;
  readonly edge: KubeletEdge;
  readonly paths: DataPaths;
  readonly settings: KubeletSettings;
  readonly nodeName: string;
  readonly machine: { facts(): Promise<MachineFacts> };
  readonly background: Background;
  readonly logger: Logger;
}): void {
  const { server } = way.credentials;
  const options = { server, nodeName, clock: systemClock, random: systemRandom, logger };
  const client: KeptCertificate = {
    signerName: CLIENT_SIGNER,
    current: way.credentials.client,
    names: async () => ({ dnsNames: [], ipAddresses: [] }),
    fits: () => true,
    onNew: (pair) => {
      writeClientPair(paths, pair);
      way.renew(pair);
    },
  };
  const serving: KeptCertificate = {
    signerName: SERVING_SIGNER,
    current: readServerPair(paths),
    names: async (signal) => {
      const { addresses } = await machine.facts();
      const isOurs = (): Promise<boolean> => way.isOurs(signal);
      return servingNames({ nodeName, addresses, machineAddresses: outwardAddresses(), server, isOurs });
    },
    fits: isFor,
    onNew: (pair) => {
      writeServerPair(paths, pair);
      edge.edge.setCertificate(pair);
    },
  };
  if (settings.rotateCertificates)
    background.start('client certificate', (signal) =>
      keepFresh(client, { ...options, client: way.client('certificates') }, signal),
    );
  if (settings.serverTlsBootstrap)
    background.start('serving certificate', (signal) =>
      keepFresh(serving, { ...options, client: way.client('certificates') }, signal),
    );
}

function isFor({ certificatePem }: KeyPair, { dnsNames, ipAddresses }: Names): boolean {
  const certificate = new X509Certificate(certificatePem);
  return (
    dnsNames.every((name) => certificate.checkHost(name) !== undefined) &&
    ipAddresses.every((address) => certificate.checkIP(address) !== undefined)
  );
}
