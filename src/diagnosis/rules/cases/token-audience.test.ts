/** Tests what is told of tokens of service accounts that are made for somebody else than the one who refuses them. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from './cases.fixtures.ts';

const token = (name: string, audience: string | undefined, path = 'token') => ({
  name,
  projected: { sources: [{ serviceAccountToken: { path, ...(audience !== undefined && { audience }) } }] },
});
const ended = (volumes: readonly object[], container: object, ...lines: readonly string[]) =>
  ({
    pod: pod({
      container: { volumeMounts: [{ name: 'tok', mountPath: '/tok' }], ...container },
      spec: { volumes },
      status: crashed({ exitCode: 1 }),
    }),
    logs: lastWords(...lines),
  }) satisfies Partial<PodEvidence>;
const VAULT = [token('tok', 'vault')];
const TOLD = /the token of its volume tok \(\/tok\/token\) is for the audience vault alone/;

describe('a token for another audience', () => {
  tellsEach([
    ['the bare word', ended(VAULT, {}, 'API answered 401:', 'Unauthorized'), 'authentication-refused', TOLD],
    [
      'the word of a client of Go',
      ended(
        VAULT,
        {},
        'E1128 02:31:16 1 reflector.go:150] Failed to watch *v1.Pod: failed to list *v1.Pod: Unauthorized',
      ),
      'authentication-refused',
      TOLD,
    ],
    [
      'the word of kubectl',
      ended(VAULT, {}, 'error: You must be logged in to the server (Unauthorized)'),
      'authentication-refused',
      TOLD,
    ],
    [
      'the word of a client of Python',
      ended(VAULT, {}, 'kubernetes.client.exceptions.ApiException: (401)', 'Reason: Unauthorized'),
      'authentication-refused',
      TOLD,
    ],
    [
      'one of several, by the file that the command names',
      ended(
        [token('tok', 'vault'), token('sts', 'sts.amazonaws.com', 'aws')],
        {
          volumeMounts: [
            { name: 'tok', mountPath: '/tok' },
            { name: 'sts', mountPath: '/sts' },
          ],
          args: ['--token-file=/sts/aws'],
        },
        'request to https://kubernetes.default.svc/api failed: 401 Unauthorized',
      ),
      'authentication-refused',
      /the token of its volume sts \(\/sts\/aws\) is for the audience sts\.amazonaws\.com alone/,
    ],
    [
      'a token of nobody but the API server, shown to somebody else',
      ended(
        [],
        {},
        'vault login failed: error validating token: invalid audience (aud) claim: audience claim does not match any expected audience',
      ),
      'authentication-refused',
      /its pod has no token for another audience than the API server/,
    ],
  ]);

  const says = (given: Partial<PodEvidence>): string => diagnosePod(evidence(given)).findings[0]?.says ?? '';

  it('is not told of the peer that it is for, nor of one that is not mounted', () => {
    expect(says(ended(VAULT, {}, 'GET http://vault:8200/v1/secret: 401 Unauthorized'))).not.toContain('audience');
    expect(says(ended(VAULT, { volumeMounts: [] }, 'API answered 401:', 'Unauthorized'))).not.toContain('audience');
  });
});
