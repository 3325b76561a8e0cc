/** Columns of kinds of CSI, flow control and devices, as upstream's printers have them. */
import { expect, it } from 'vitest';
import {
  csiStorageCapacityTable,
  priorityLevelTable,
  resourceClaimTable,
  resourceSliceTable,
  volumeAttachmentTable,
} from './devices.ts';
import { ipAddressTable } from './networking.ts';
import type { TableKind } from './table.ts';

const NOW = Date.UTC(2026, 0, 2);
const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' };
const going = { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
const allocated = { allocation: {} };
const used = { ...allocated, reservedFor: [{}] };

it.each<[string, TableKind, object, string]>([
  ['a claim', resourceClaimTable, { metadata }, 'x pending 24h'],
  ['a claim with devices', resourceClaimTable, { metadata, status: allocated }, 'x allocated 24h'],
  ['a claim in use', resourceClaimTable, { metadata, status: used }, 'x allocated,reserved 24h'],
  ['a claim that goes', resourceClaimTable, { metadata: going }, 'x deleted 24h'],
  [
    'a claim that goes and is in use',
    resourceClaimTable,
    { metadata: going, status: used },
    'x deleted,allocated,reserved 24h',
  ],
  [
    'devices of no node',
    resourceSliceTable,
    { metadata, spec: { allNodes: true, driver: 'd', pool: { name: 'p' } } },
    'x  d p 24h',
  ],
  ['room for volumes', csiStorageCapacityTable, { metadata, storageClassName: 'fast', capacity: '1Gi' }, 'x fast 1Gi'],
  [
    'an address',
    ipAddressTable,
    { metadata, spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } },
    'x services/n/s',
  ],
  [
    'a level without limits',
    priorityLevelTable,
    { metadata, spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0 } } },
    'x Exempt <none> <none> <none> <none> 24h',
  ],
  [
    'an attachment',
    volumeAttachmentTable,
    { metadata, spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
    'x a v n false 24h',
  ],
])('%s', (_, table, object, cells) => {
  const row = table.cells(object as never, NOW);
  expect(row).toHaveLength(table.columns.length);
  expect(row.join(' ')).toBe(cells);
});
