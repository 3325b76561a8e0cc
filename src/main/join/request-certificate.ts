/**
 * Asks the API server for a certificate and waits for it, as the kubelet does (upstream: client-go's certificate manager and
 * its `csr` package): a CertificateSigningRequest, approved by a controller or a person, signed by the server's signer.
 */
import {
  type CertificateSigningRequest,
  CERTIFICATE_SIGNING_REQUESTS,
  isAlreadyExists,
  isNotFound,
  StatusError,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { ConnectionError } from '../../lib/index.ts';
import { connectionTrouble } from './connection-trouble.ts';
import { type Attempt, type Patience, untilDone } from './patience.ts';

export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

export interface WantedCertificate {
  readonly client: KubeClient;
  /** For messages: the server's URL. */
  readonly server: string;
  readonly signerName: typeof CLIENT_SIGNER | typeof SERVING_SIGNER;
  readonly csrPem: string;
  /** The name of the request's object: the same for the same key, so that a restarted agent finds it. Absent: any. */
  readonly name?: string;
}

/** It will not be had this way; `message` is for the user. */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused';
  readonly reason: 'unauthorized' | 'forbidden' | 'denied' | 'failed' | 'server';
  constructor(reason: CertificateRefused['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/**
 * @returns the certificate, PEM
 * @throws CertificateRefused when asking on makes no sense; the signal's reason when it was aborted
 */
export async function requestCertificate(wanted: WantedCertificate, patience: Patience): Promise<string> {
  const { client } = wanted;
  let name: string | undefined;
  return untilDone(patience, (signal) =>
    tolerating(wanted, patience, async (): Promise<Attempt<string>> => {
      name ??= await createRequest(wanted, signal);
      const found = await client
        .get<CertificateSigningRequest>(CERTIFICATE_SIGNING_REQUESTS, undefined, name, signal)
        .catch(unlessGone);
      if (found === undefined) {
        // Deleted, or too old: another one.
        name = undefined;
        return { waitFor: 'the request for a certificate is gone; making another' };
      }
      return outcomeOf(found);
    }),
  );
}

/** @returns the name of the request's object */
async function createRequest(
  { client, csrPem, signerName, name }: WantedCertificate,
  signal: AbortSignal,
): Promise<string> {
  const usage = signerName === CLIENT_SIGNER ? 'client auth' : 'server auth';
  const object: CertificateSigningRequest = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: name === undefined ? { generateName: 'csr-' } : { name },
    spec: { request: Buffer.from(csrPem).toString('base64'), signerName, usages: ['digital signature', usage] },
  };
  try {
    const created = await client.create<CertificateSigningRequest>(CERTIFICATE_SIGNING_REQUESTS, object, signal);
    return created.metadata?.name ?? '';
  } catch (error) {
    if (name !== undefined && isAlreadyExists(error)) return name;
    throw error;
  }
}

function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}

/**
 * The state of a request.
 * @throws CertificateRefused
 */
export function outcomeOf(request: CertificateSigningRequest): Attempt<string> {
  const name = request.metadata?.name ?? '';
  const { conditions = [], certificate } = request.status ?? {};
  for (const type of ['Denied', 'Failed'] as const) {
    const found = conditions.find((condition) => condition.type === type);
    if (found === undefined) continue;
    const why = [found.reason, found.message].filter((text) => text !== undefined && text !== '').join(': ');
    throw new CertificateRefused(
      type === 'Denied' ? 'denied' : 'failed',
      `the request for a certificate, ${name}, ${type === 'Denied' ? 'was denied' : 'failed'}${why === '' ? '' : ` (${why})`}`,
    );
  }
  if (certificate !== undefined && certificate !== '') {
    return { done: Buffer.from(certificate, 'base64').toString('utf8') };
  }
  const isApproved = conditions.some(({ type }) => type === 'Approved');
  return {
    waitFor: isApproved
      ? `the server has approved the request for a certificate, ${name}, and has not signed it yet`
      : `the request for a certificate has to be approved: kubectl certificate approve ${name}`,
  };
}

/** Problems that pass by themselves become something to wait for. */
async function tolerating<T>(
  { server }: WantedCertificate,
  { clock }: Patience,
  attempt: () => Promise<Attempt<T>>,
): Promise<Attempt<T>> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof ConnectionError) {
      const trouble = connectionTrouble(server, error, clock.now().wall);
      if (trouble.kind === 'wait') return { waitFor: trouble.message };
      throw new CertificateRefused('server', trouble.message, { cause: error });
    }
    if (!(error instanceof StatusError)) throw error;
    if (error.code === UNAUTHORIZED) {
      throw new CertificateRefused('unauthorized', `${server} does not know us: ${error.message}`, { cause: error });
    }
    if (error.code === FORBIDDEN) {
      throw new CertificateRefused('forbidden', `${server} refuses the request for a certificate: ${error.message}`, {
        cause: error,
      });
    }
    return { waitFor: `${server}: ${error.message}` };
  }
}
