import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../defaulting/defaults.ts';
import { printFieldError } from '../field-error.ts';
import { CRON_JOBS, JOBS } from '../resources.ts';
import type { CronJob, CronJobSpec, Job, JobSpec, JobStatus, PodTemplateSpec } from '../types.gen.ts';
import { validateCronJob, validateCronJobUpdate } from './cron-job.ts';
import { validateJob, validateJobUpdate } from './job.ts';
import { validateJobStatusUpdate } from './job-status.ts';

const UID = 'u1';
const LABELS = {
  'batch.kubernetes.io/controller-uid': UID,
  'batch.kubernetes.io/job-name': 'work',
  'controller-uid': UID,
  'job-name': 'work',
};
const template = (spec: object = {}, metadata: object = { labels: LABELS }): PodTemplateSpec => ({
  metadata,
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }], ...spec },
});

function job(spec: Partial<JobSpec> = {}, status: JobStatus = {}, name = 'work'): Job {
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': UID } };
  return applyDefaults(JOBS, {
    metadata: { name, namespace: 'team', uid: UID, resourceVersion: '1' },
    spec: { selector, template: template(), ...spec },
    status,
  });
}

const texts = (errors: readonly Parameters<typeof printFieldError>[0][]): string[] => errors.map(printFieldError);
const INDEXED = { completionMode: 'Indexed', completions: 3 };
const rules = (...list: object[]): Partial<JobSpec> => ({ podFailurePolicy: { rules: list } }) as Partial<JobSpec>;
const exit = (more: object): object => ({ action: 'Count', onExitCodes: { operator: 'In', values: [1], ...more } });

describe('a new job', () => {
  it.each<[string, Partial<JobSpec>, readonly string[]]>([
    ['a good one', {}, []],
    ['an indexed one', { ...INDEXED, backoffLimitPerIndex: 1, maxFailedIndexes: 2 }, []],
    [
      'less than nothing',
      { parallelism: -1 },
      ['spec.parallelism: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'pods that never end',
      { template: template({ restartPolicy: 'Always' }) },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'an unknown mode',
      { completionMode: 'Odd' },
      ['spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"'],
    ],
    [
      'indexed without completions',
      { completionMode: 'Indexed', parallelism: 1 },
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
    [
      'limits for indexes that it has not',
      { backoffLimitPerIndex: 1 },
      ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    ],
    [
      'more failed indexes than there are',
      { ...INDEXED, backoffLimitPerIndex: 1, maxFailedIndexes: 4 },
      ['spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions'],
    ],
    [
      'many completions with too much at once',
      { ...INDEXED, completions: 100_001, backoffLimitPerIndex: 1, maxFailedIndexes: 10_001, parallelism: 10_001 },
      [
        'spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
        'spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
      ],
    ],
    [
      'a policy with a restart policy that does not fit',
      { ...rules(exit({})), template: template({ restartPolicy: 'OnFailure' }) },
      [
        'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
      ],
    ],
    [
      'a replacement policy with a failure policy',
      { ...rules(exit({})), podReplacementPolicy: 'TerminatingOrFailed' },
      ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
    ],
    [
      'exit codes',
      rules(exit({ values: [3, 0, 3], containerName: 'x' })),
      [
        'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template',
        'spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator',
        'spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 3',
        'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,0,3]: must be ordered',
      ],
    ],
    [
      'a rule of nothing',
      rules({ action: 'FailIndex' }),
      [
        'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
        'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      ],
    ],
    [
      'a success policy without indexes',
      { successPolicy: { rules: [{ succeededCount: 1 }] } },
      ['spec.successPolicy: Invalid value: {"rules":[{"succeededCount":1}]}: requires indexed completion mode'],
    ],
    [
      'success by more than there are',
      {
        ...INDEXED,
        successPolicy: { rules: [{ succeededIndexes: '0,1', succeededCount: 3 }, { succeededIndexes: '7' }] },
      },
      [
        'spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
        'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "7": error parsing succeededIndexes: too large index: "7"',
      ],
    ],
    [
      'somebody without a domain',
      { managedBy: 'me' },
      ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [
      'a selector that does not fit',
      { manualSelector: true, selector: { matchLabels: { a: 'b' } }, template: template({}, { labels: { a: 'c' } }) },
      ['spec.template.metadata.labels: Invalid value: {"a":"c"}: `selector` does not match template `labels`'],
    ],
  ])('%s', (_, spec, expected) => {
    expect(texts(validateJob(job(spec)))).toEqual(expected);
  });

  it('its labels are not for the client to say', () => {
    const labels = { ...LABELS, 'job-name': 'other' };
    expect(texts(validateJob(job({ template: template({}, { labels }) })))).toEqual([
      `spec.template.metadata.labels: Invalid value: ${JSON.stringify(labels)}: must be 'work'`,
    ]);
  });

  it('its longest host name must be one', () => {
    const name = `${'a'.repeat(30)}.b`;
    expect(texts(validateJob(job({ manualSelector: true, ...INDEXED }, {}, name)))).toEqual([
      `metadata.name: Invalid value: "${name}": will not able to create pod with invalid DNS label: ${name}-2`,
    ]);
  });
});

describe('a change', () => {
  const suspended: JobStatus = { conditions: [{ type: 'Suspended', status: 'True' }] };
  const placed = template({ nodeSelector: { disk: 'fast' }, tolerations: [{ operator: 'Exists' }] });
  const sized = template({ containers: [{ name: 'c', image: 'busybox', resources: { requests: { cpu: '2' } } }] });
  it.each<[string, Job, Job, boolean]>([
    ['parallelism', job({ parallelism: 5, completions: 9 }), job({ parallelism: 1, completions: 9 }), true],
    ['completions', job({ completions: 5 }), job({ completions: 4 }), false],
    [
      'an indexed job grows',
      job({ ...INDEXED, completions: 5, parallelism: 5 }),
      job({ ...INDEXED, parallelism: 3 }),
      true,
    ],
    [
      'an indexed job grows alone',
      job({ ...INDEXED, completions: 5, parallelism: 3 }),
      job({ ...INDEXED, parallelism: 3 }),
      false,
    ],
    ['the mode', job({ ...INDEXED, parallelism: 3 }), job({ completions: 3, parallelism: 3 }), false],
    ['where its pods go', job({ template: placed }), job(), false],
    ['where its pods go, before it ever ran', job({ template: placed, suspend: true }), job({ suspend: true }), true],
    [
      'where its pods go, while the old ones end',
      job({ template: placed, suspend: true }),
      job({ suspend: true }, { ...suspended, startTime: '2026-01-01T00:00:00Z', active: 1 }),
      false,
    ],
    [
      'where its pods go, once they have ended',
      job({ template: placed, suspend: true }),
      job({ suspend: true }, { ...suspended, startTime: '2026-01-01T00:00:00Z' }),
      true,
    ],
    ['what its pods get', job({ template: sized, suspend: true }), job({ suspend: true }), true],
    [
      'what its pods do',
      job({ template: template({ hostNetwork: true }), suspend: true }),
      job({ suspend: true }),
      false,
    ],
    ['who manages it', job({ managedBy: 'a.b/c' }), job(), false],
  ])('%s', (_, next, old, allowed) => {
    expect(validateJobUpdate(next, old).length === 0).toBe(allowed);
  });
});

describe('a status', () => {
  const is = (...types: string[]): Pick<JobStatus, 'conditions'> => ({
    conditions: types.map((type) => ({ type, status: 'True' })),
  });
  const startTime = '2026-01-01T00:00:00Z';
  const completionTime = '2026-01-01T00:01:00Z';
  it.each<[string, JobStatus, JobStatus, string | undefined]>([
    ['goes on', { failed: 1, ...is('Own') }, {}, undefined],
    ['completes', { startTime, completionTime, ...is('SuccessCriteriaMet', 'Complete') }, { startTime }, undefined],
    [
      'completes unannounced',
      { startTime, completionTime, ...is('Complete') },
      { startTime },
      'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
    ],
    [
      'fails unannounced',
      { startTime, ...is('Failed') },
      { startTime },
      'cannot set Failed=True condition without the FailureTarget=true condition',
    ],
    [
      'both',
      is('SuccessCriteriaMet', 'FailureTarget'),
      {},
      'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
    ],
    ['is over no more', {}, is('FailureTarget'), 'cannot disable the terminal FailureTarget=True condition'],
    [
      'has an end and is not over',
      { completionTime },
      {},
      'cannot set completionTime when there is no Complete=True condition',
    ],
    [
      'ends before it began',
      { startTime: completionTime, completionTime: startTime, ...is('SuccessCriteriaMet', 'Complete') },
      {},
      'completionTime cannot be set before startTime',
    ],
    ['starts again', { startTime: completionTime }, { startTime }, 'startTime cannot be removed for unsuspended job'],
    ['forgets failures', { failed: 1 }, { failed: 2 }, 'cannot decrease the failed counter'],
    ['forgets successes', {}, { succeeded: 2 }, 'cannot decrease the succeeded counter'],
    [
      'ends with active pods',
      { startTime, active: 1, ...is('FailureTarget', 'Failed') },
      { startTime, active: 1 },
      'active>0 is invalid for finished job',
    ],
    [
      'ends uncounted',
      { startTime, uncountedTerminatedPods: { failed: ['a'] }, ...is('FailureTarget', 'Failed') },
      { startTime },
      'uncountedTerminatedPods needs to be empty for finished job',
    ],
    ['names a pod twice', { uncountedTerminatedPods: { failed: ['a'], succeeded: ['a'] } }, {}, 'Duplicate value: "a"'],
    [
      'has indexes and is not indexed',
      { completedIndexes: '0' },
      {},
      'cannot set non-empty completedIndexes when non-indexed completion mode',
    ],
    ['more ready than active', { ready: 2, active: 1 }, {}, 'cannot set more ready pods than active'],
  ])('%s', (_, next, old, expected) => {
    const errors = texts(validateJobStatusUpdate(job({}, next), job({}, old)));
    if (expected === undefined) expect(errors).toEqual([]);
    else expect(errors.join('\n')).toContain(expected);
  });
});

describe('a cron job', () => {
  const cronJob = (spec: Partial<CronJobSpec>, name = 'report'): CronJob =>
    applyDefaults(CRON_JOBS, {
      metadata: { name, namespace: 'team', uid: UID, resourceVersion: '1' },
      spec: { schedule: '@daily', jobTemplate: { spec: { template: template({}, {}) } }, ...spec },
    });
  it.each<[string, Partial<CronJobSpec>, readonly string[]]>([
    ['a good one', { timeZone: 'Europe/Berlin' }, []],
    ['no schedule', { schedule: '' }, ['spec.schedule: Required value']],
    [
      'a bad one',
      { schedule: '* *' },
      ['spec.schedule: Invalid value: "* *": expected exactly 5 fields, found 2: [* *]'],
    ],
    [
      'a zone in it',
      { schedule: 'CRON_TZ=UTC @daily' },
      [
        'spec.schedule: Invalid value: "CRON_TZ=UTC @daily": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [
      'an unknown zone',
      { timeZone: 'Mars/Base' },
      ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
    ],
    [
      'the zone of the server',
      { timeZone: 'Local' },
      [
        'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ],
    ],
    [
      'an unknown policy',
      { concurrencyPolicy: 'Queue' },
      ['spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"'],
    ],
    [
      'a selector',
      { jobTemplate: { spec: { manualSelector: true, template: template({}, {}) } } },
      ['spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"'],
    ],
  ])('%s', (_, spec, expected) => {
    expect(texts(validateCronJob(cronJob(spec)))).toEqual(expected);
  });

  it('leaves room in its name for the minute', () => {
    const long = cronJob({}, 'a'.repeat(53));
    expect(texts(validateCronJob(long))).toEqual([
      `metadata.name: Invalid value: "${'a'.repeat(53)}": must be no more than 52 characters`,
    ]);
    expect(validateCronJobUpdate(long, long)).toEqual([]);
  });
});

it('defaults', () => {
  const { spec } = applyDefaults<Job>(JOBS, {
    metadata: { name: 'a' },
    spec: { template: { spec: { containers: [] } }, parallelism: 4 },
  });
  expect(spec).toMatchObject({
    parallelism: 4,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: 'TerminatingOrFailed',
  });
  expect(spec?.completions).toBeUndefined();
});
