import { expect, test } from 'vitest';
import { canonicalObject } from '../schema/canonical.ts';
import { applyConfig, type Applied } from './apply.ts';
import { reportConflicts } from './conflicts.ts';
import { writeFieldsV1 } from './fields-v1.ts';
import { type Managers, type Owned, writeManagers } from './managers.ts';
import { type Ground, managersAfterUpdate } from './owners.ts';
import { placeOfKind } from './place.ts';

function groundOf(apiVersion: string, kind: string): Ground {
  const place = placeOfKind(apiVersion, kind);
  if (place === undefined) throw new Error(`no ${kind}`);
  return { place, apiVersion };
}

const DEPLOYMENT = groundOf('apps/v1', 'Deployment');
const NOW = '2026-01-01T00:00:00Z';

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'c', image: 'nginx', ports: [{ containerPort: 80 }], resources: {} }],
      },
    },
  },
};

function entriesOf(managers: Managers | undefined): unknown[] {
  return writeManagers(managers ?? new Map()).map(({ manager, operation, fieldsV1 }) => [
    manager,
    operation,
    JSON.parse(fieldsV1 as string),
  ]);
}

function applied(result: Applied): Extract<Applied, { kind: 'applied' }> {
  if (result.kind === 'conflict') throw new Error(reportConflicts(result.conflicts).message);
  return result;
}

test('who creates owns all that is not there in an empty object, with the dots that a real server writes', () => {
  const before = canonicalObject('apps/v1', 'Deployment', {});
  const after = canonicalObject('apps/v1', 'Deployment', {
    ...deployment,
    spec: {
      ...deployment.spec,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    },
  });
  const managers = managersAfterUpdate(
    () => new Map(),
    { before, after, manager: { name: 'kubectl-create', subresource: '' }, now: NOW },
    DEPLOYMENT,
  );
  expect(entriesOf(managers)).toEqual([
    [
      'kubectl-create',
      'Update',
      {
        'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
        'f:spec': {
          'f:replicas': {},
          'f:selector': {},
          'f:strategy': {
            'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} },
            'f:type': {},
          },
          'f:template': {
            'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
            'f:spec': {
              'f:containers': {
                'k:{"name":"c"}': {
                  '.': {},
                  'f:image': {},
                  'f:name': {},
                  'f:ports': {
                    '.': {},
                    'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
                  },
                  'f:resources': {},
                },
              },
            },
          },
        },
      },
    ],
  ]);
});

test('an apply owns what its configuration names', () => {
  const empty = canonicalObject('apps/v1', 'Deployment', {});
  const first = applied(
    applyConfig(
      new Map(),
      { live: empty, config: deployment, manager: { name: 'a', subresource: '' }, force: false, now: NOW },
      DEPLOYMENT,
    ),
  );
  expect(entriesOf(first.managers)).toMatchObject([
    ['a', 'Apply', { 'f:metadata': { 'f:labels': { 'f:app': {} } }, 'f:spec': { 'f:replicas': {} } }],
  ]);
  // The same again changes nothing.
  const again = applied(
    applyConfig(
      first.managers,
      { live: first.object, config: deployment, manager: { name: 'a', subresource: '' }, force: false, now: 'later' },
      DEPLOYMENT,
    ),
  );
  expect(again.object).toBe(first.object);
  expect(writeManagers(again.managers)).toEqual(writeManagers(first.managers));
});
