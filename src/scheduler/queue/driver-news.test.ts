import { describe, expect, it } from 'vitest';
import type { CSIDriver, CSINode, CSIStorageCapacity } from '../../api/index.ts';
import { newsOfCapacity, newsOfDriver, newsOfNode } from './driver-news.ts';

const node = (...counts: readonly (number | undefined)[]): CSINode => ({
  spec: {
    drivers: counts.map((count, position) => ({
      name: `d${position}`,
      nodeID: 'n',
      ...(count === undefined ? {} : { allocatable: { count } }),
    })),
  },
});
const driver = (storageCapacity: boolean): CSIDriver => ({ spec: { storageCapacity } });
const room = (capacity: string, maximumVolumeSize?: string): CSIStorageCapacity => ({
  storageClassName: 'c',
  capacity,
  ...(maximumVolumeSize === undefined ? {} : { maximumVolumeSize }),
});
const change = <T>(object: T, previous?: T) => ({
  type: 'apply' as const,
  key: 'k',
  object,
  ...(previous === undefined ? {} : { previous }),
});
const end = <T>(object: T) => ({ type: 'delete' as const, key: 'k', object });

describe('news of drivers', () => {
  it.each([
    ['a node is new', newsOfNode(change(node(1))), 'CSINodeAdd'],
    ['a limit grew', newsOfNode(change(node(1, 3), node(1, 2))), 'CSINodeUpdate'],
    ['a limit shrank', newsOfNode(change(node(1), node(2))), undefined],
    ['a limit came', newsOfNode(change(node(1), node(undefined))), undefined],
    ['a limit went', newsOfNode(change(node(undefined), node(1))), 'CSINodeUpdate'],
    ['a driver with a limit went', newsOfNode(change(node(), node(1))), 'CSINodeUpdate'],
    ['a node with limits went', newsOfNode(end(node(1))), 'CSINodeDelete'],
    [
      'a node without drivers, as Go writes it',
      newsOfNode(change(JSON.parse('{"spec":{"drivers":null}}'), node(1))),
      'CSINodeUpdate',
    ],
    ['a node without limits went', newsOfNode(end(node(undefined))), undefined],
    ['a driver says no more', newsOfDriver(change(driver(false), driver(true))), 'CSIDriverUpdate'],
    ['a driver begins to say', newsOfDriver(change(driver(true), driver(false))), undefined],
    ['a driver that said went', newsOfDriver(end(driver(true))), 'CSIDriverUpdate'],
    ['new room', newsOfCapacity(change(room('1Gi'))), 'CSIStorageCapacityAdd'],
    ['more room', newsOfCapacity(change(room('2Gi'), room('1Gi'))), 'CSIStorageCapacityUpdate'],
    ['less room', newsOfCapacity(change(room('1Gi'), room('2Gi'))), undefined],
    ['more room, for volumes no bigger', newsOfCapacity(change(room('2Gi', '1Gi'), room('1Gi', '1Gi'))), undefined],
    ['no more room', newsOfCapacity(end(room('1Gi'))), undefined],
  ])('%s', (_, news, expected) => {
    expect(news).toBe(expected);
  });
});
