import { expect, it } from 'vitest';
import type { CertificateSigningRequest } from '../../api/index.ts';
import { CertificateRefused, outcomeOf } from './request-certificate.ts';

const request = (status: CertificateSigningRequest['status']): CertificateSigningRequest => ({
  metadata: { name: 'csr-1' },
  spec: { request: '', signerName: 'x', usages: [] },
  ...(status && { status }),
});
const condition = (type: string, reason = '', message = '') => ({ type, status: 'True', reason, message });

it.each<[string, CertificateSigningRequest['status'], object]>([
  ['nothing yet', undefined, { waitFor: expect.stringContaining('kubectl certificate approve csr-1') as string }],
  [
    'approved',
    { conditions: [condition('Approved')] },
    { waitFor: expect.stringContaining('not signed it yet') as string },
  ],
  ['signed', { conditions: [condition('Approved')], certificate: btoa('PEM') }, { done: 'PEM' }],
])('%s', (_, status, outcome) => expect(outcomeOf(request(status))).toEqual(outcome));

it.each([
  ['Denied', 'denied', 'csr-1, was denied (NotHere: go away)'],
  ['Failed', 'failed', 'csr-1, failed (NotHere: go away)'],
])('%s', (type, reason, message) => {
  const found = request({ conditions: [condition('Approved'), condition(type, 'NotHere', 'go away')] });
  expect(() => outcomeOf(found)).toThrow(CertificateRefused);
  try {
    outcomeOf(found);
  } catch (error) {
    expect(error).toMatchObject({ reason, message: expect.stringContaining(message) as string });
  }
});
