/** Stands in for a cluster's approver and signer of kubelets' serving certificates, which Kubernetes leaves to its operator. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../support/api-over-https.ts';
import type { Pki } from './pki.ts';

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const SIGNER = 'kubernetes.io/kubelet-serving';
const LOOK_AGAIN_MS = 300;

interface SigningRequest {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly signerName: string; readonly request: string; readonly usages: readonly string[] };
  readonly status?: { readonly certificate?: string };
}

/** Signs requests until `signal` is aborted. The server may be away meanwhile. */
export async function signServingCertificates(api: Api, pki: Pki, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { items } = await api.get<{ readonly items: readonly SigningRequest[] }>(PATH);
      for (const each of items) {
        if (each.spec.signerName === SIGNER && each.status?.certificate === undefined) await sign(api, pki, each);
      }
    } catch {
      // The next look retries; the kubelet waits for its certificate.
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

async function sign(api: Api, pki: Pki, { metadata, spec }: SigningRequest): Promise<void> {
  const certificate = await pki.sign(Buffer.from(spec.request, 'base64').toString(), spec.usages);
  const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'by the test' };
  const path = `${PATH}/${metadata.name}`;
  const merge = 'application/merge-patch+json';
  await api.send('PATCH', `${path}/approval`, { status: { conditions: [approved] } }, merge);
  const status = { certificate: Buffer.from(certificate).toString('base64') };
  await api.send('PATCH', `${path}/status`, { status }, merge);
}
