import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCertificateRequest, signCertificateRequest } from '../../apiserver/edge/certificate-request.node.ts';
import { systemSigner } from '../../apiserver/edge/signer.node.ts';
import { systemClock } from '../../lib/clock.node.ts';
import { type DataPaths, dataPaths } from '../data-dir-path.ts';
import { keepAddress, readCredentials, writeCredentials } from './credentials.node.ts';
import { joinCluster } from './join-cluster.ts';

const HOUR_MS = 3_600_000;
let paths: DataPaths;
beforeAll(async () => {
  paths = dataPaths(mkdtempSync(join(tmpdir(), 'mendlet-join-')));
  const life = { notBefore: Date.now() - HOUR_MS, notAfter: Date.now() + HOUR_MS };
  const authority = await systemSigner.createAuthority({ commonName: 'test', ...life });
  const names = { commonName: 'system:node:n', organizations: ['system:nodes'], dnsNames: [], ipAddresses: [] };
  const { csrPem, keyPem } = await createCertificateRequest(names);
  const signed = await signCertificateRequest(authority, { csrPem, usages: ['client auth'], ...life });
  if (!signed.ok) throw new Error(signed.reason);
  const client = { certificatePem: signed.certificatePem, keyPem };
  writeCredentials(paths, { server: 'https://192.0.2.1:6443', authorityPem: authority.certificatePem, client });
});
afterAll(() => rmSync(paths.dir, { recursive: true }));

it('takes another address of its server, and keeps it only when told that it answered', async () => {
  const given = { server: 'https://192.0.2.1:6444' };
  const me = { nodeName: 'n', instanceId: 'abc', machineId: 'm' };
  const { signal } = new AbortController();
  const credentials = await joinCluster({ me, inUse: true, given, paths, clock: systemClock, say: () => {}, signal });
  expect(credentials.server).toBe('https://192.0.2.1:6444');
  expect((await readCredentials(paths))?.server).toBe('https://192.0.2.1:6443');
  await keepAddress(paths, credentials);
  expect(await readCredentials(paths)).toEqual(credentials);
});
