import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensurePki } from '../apiserver/edge/pki.node.ts';
import { systemSigner } from '../apiserver/edge/signer.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { certificateFacts } from './certificate-facts.node.ts';

describe('certificateFacts', () => {
  it.each([
    '',
    'no certificate',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    '-----BEGIN CERTIFICATE-----\n'.repeat(3000),
  ])('are none of a text without one that can be read', (text) => {
    expect(certificateFacts(text)).toBeUndefined();
  });

  it('are what a certificate tells whoever connects, and of a chain those of the first', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mendlet-certificate-'));
    const clock = createManualClock();
    const pki = await ensurePki({
      dir: join(folder, 'pki'),
      nodeName: 'node-1',
      serverNames: ['10.244.0.1', 'edge.example'],
      fs: systemFileSystem,
      clock,
      signer: systemSigner,
    });
    const server = certificateFacts(`${pki.server.certificatePem}\n${pki.authorityPem}`);
    expect(server?.names).toEqual(expect.arrayContaining(['10.244.0.1', 'edge.example']));
    expect(server?.isSelfSigned).toBe(false);
    expect(server?.fromMs).toBeLessThanOrEqual(clock.now().wall);
    expect(server?.untilMs).toBeGreaterThan(clock.now().wall);
    expect(certificateFacts(pki.authorityPem)).toMatchObject({ isSelfSigned: true, commonName: server?.issuer });
    await rm(folder, { recursive: true });
  });
});
