/**
 * Keeps the agent's two certificates fresh: the one that it shows to its server, and the one that its own port shows. Each is
 * renewed between 70 and 90 % of its life, and the port's also when the machine's addresses change.
 */
import { createCertificateRequest } from '../../apiserver/edge/certificate-request.node.ts';
import type { KeyPair } from '../key-pair.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Clock, errorMessage, exponentialDelay, formatTime, type Logger, type Random } from '../../lib/index.ts';
import { isValidAt, renewalTime } from './certificate-times.ts';
import { validityOf } from './credentials.node.ts';
import { type CLIENT_SIGNER, requestCertificate, type SERVING_SIGNER } from './request-certificate.ts';

/** A request that is not answered is given up, and made again later (upstream: 15 min). */
const REQUEST_TIMEOUT_MS = 15 * 60_000;
/** Wall time may step, and addresses change: looked at this often. */
const LOOK_EVERY_MS = 60_000;
const RETRY = { baseMs: 2_000, capMs: 120_000 };

export interface RenewalOptions {
  readonly client: KubeClient;
  readonly server: string;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface Names {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

export interface KeptCertificate {
  readonly signerName: typeof CLIENT_SIGNER | typeof SERVING_SIGNER;
  /** The present certificate; absent: there is none yet. */
  readonly current: KeyPair | undefined;
  /** The names that a serving certificate must have. */
  readonly names: (signal: AbortSignal) => Promise<Names>;
  /** Whether `current` has exactly these. */
  readonly fits: (pair: KeyPair, names: Names) => boolean;
  /** Keeps and uses the new one. */
  readonly onNew: (pair: KeyPair) => void;
}

/** Runs until the signal is aborted. */
export async function keepFresh(kept: KeptCertificate, options: RenewalOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, logger } = options;
  let { current } = kept;
  let share = random.next();
  for (let failures = 0; !signal.aborted; ) {
    try {
      const names = await kept.names(signal);
      const { wall } = clock.now();
      if (current === undefined || !isFine(kept, current, names, wall, share)) {
        current = await ask(kept, names, options, signal);
        share = random.next();
        kept.onNew(current);
        const { to } = validityOf(current.certificatePem);
        logger.info('got a certificate', { signer: kept.signerName, until: formatTime(to) });
      }
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      logger.warn('no new certificate yet', { signer: kept.signerName, failures, error: errorMessage(error) });
    }
    const delayMs = failures > 0 ? exponentialDelay(RETRY, failures) : LOOK_EVERY_MS;
    const dueMs =
      current === undefined ? delayMs : renewalTime(validityOf(current.certificatePem), share) - clock.now().wall;
    await clock.sleep(failures > 0 ? delayMs : Math.max(0, Math.min(delayMs, dueMs)), signal).catch(() => {});
  }
}

function isFine(kept: KeptCertificate, current: KeyPair, names: Names, wall: number, share: number): boolean {
  const validity = validityOf(current.certificatePem);
  return isValidAt(validity, wall) && wall < renewalTime(validity, share) && kept.fits(current, names);
}

async function ask(
  { signerName }: KeptCertificate,
  names: Names,
  { client, server, nodeName, clock, logger }: RenewalOptions,
  signal: AbortSignal,
): Promise<KeyPair> {
  const { csrPem, keyPem } = await createCertificateRequest({
    commonName: `system:node:${nodeName}`,
    organizations: ['system:nodes'],
    ...names,
  });
  const timeout = new AbortController();
  const timer = clock.setTimer(REQUEST_TIMEOUT_MS, () =>
    timeout.abort(new Error(`not approved within ${REQUEST_TIMEOUT_MS / 60_000} minutes`)),
  );
  try {
    const certificatePem = await requestCertificate(
      { client, server, signerName, csrPem },
      { clock, say: (text) => logger.info(text), signal: AbortSignal.any([signal, timeout.signal]) },
    );
    return { certificatePem, keyPem };
  } finally {
    timer.cancel();
  }
}
