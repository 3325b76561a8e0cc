import { describe, expect, it } from 'vitest';
import { RuntimeError } from '../runtime.ts';
import { isRefusedStart, isSilence } from './exec-failure.ts';

describe('a start that failed', () => {
  it.each([
    ['runc refused', new RuntimeError('Unknown', 'OCI runtime exec failed: exec failed: no such file'), true, false],
    ['the container ended', new RuntimeError('FailedPrecondition', 'cannot exec in a stopped state'), true, false],
    ['nobody has it', new RuntimeError('NotFound', 'no such process'), true, false],
    ['its pipes failed', new RuntimeError('Unknown', 'failed to open stdin fifo x: no such file'), false, false],
    ['containerd went away', new RuntimeError('Unavailable', 'OCI runtime exec failed'), false, true],
    ['too late', new RuntimeError('DeadlineExceeded', 'context deadline exceeded'), false, true],
    ['something else', new Error('OCI runtime exec failed'), false, true],
  ])('%s', (_, error, isRefused, isUnanswered) => {
    expect([isRefusedStart(error), isSilence(error)]).toEqual([isRefused, isUnanswered]);
  });
});
