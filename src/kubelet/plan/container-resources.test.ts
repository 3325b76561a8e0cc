import { expect, it } from 'vitest';
import { statusResources } from './container-resources.ts';
import { testContainer } from './plan.fixtures.ts';

const given = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '100M' } };
const actual = { cpuPeriod: 100_000, cpuQuota: 20_000, cpuShares: 102, memoryLimitBytes: 99_999_744 };

it.each([
  ['not running', given, undefined, given],
  ['as given, rounded to pages', given, actual, given],
  [
    'more CPU',
    given,
    { ...actual, cpuQuota: 150_000, cpuShares: 1536 },
    { limits: { cpu: '1500m', memory: '100M' }, requests: { cpu: '1500m', memory: '64Mi' } },
  ],
  [
    'more memory',
    given,
    { ...actual, memoryLimitBytes: 2 ** 28 },
    { ...given, limits: { cpu: '200m', memory: '256Mi' } },
  ],
  [
    'below what a cgroup can have',
    { limits: { cpu: '1m' }, requests: { cpu: '1m' } },
    { ...actual, cpuQuota: 1000, cpuShares: 2 },
    { limits: { cpu: '1m' }, requests: { cpu: '1m' } },
  ],
  ['nothing was given', undefined, actual, {}],
])('%s', (_name, resources, resourcesNow, expected) => {
  const running = resourcesNow === undefined ? undefined : testContainer({ resources: resourcesNow });
  expect(statusResources(resources, running)).toEqual(expected);
});
