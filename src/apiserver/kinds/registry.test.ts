import { describe, expect, it } from 'vitest';
import { PODS, RESOURCES } from '../../api/index.ts';
import { jsonResponse } from '../http/respond.ts';
import { builtInKinds } from './built-in.ts';
import { LiveRegistry } from './registry.ts';

const row = { ...PODS, group: 'example.org', resource: 'widgets', kind: 'Widget' };
const widgets = { row, answer: () => jsonResponse(200, {}) };

describe('the registry', () => {
  it('has every row of the table of resources, in its order', () => {
    const rows = new LiveRegistry(builtInKinds()).rows();
    expect(rows.slice(0, RESOURCES.length)).toEqual(RESOURCES);
  });

  it('answers with what is served now, and says when that changed', () => {
    const registry = new LiveRegistry(builtInKinds());
    const before = registry.generation;
    let changes = 0;
    const end = registry.onChange(() => changes++);
    const remove = registry.register(widgets);
    expect([registry.kindOf(row), registry.rowOf(row), registry.find(row)]).toEqual([widgets, row, undefined]);
    expect(registry.rows()).toContain(row);
    remove();
    remove();
    expect(registry.kindOf(row)).toBeUndefined();
    expect(registry.rows()).not.toContain(row);
    expect([changes, registry.generation - before]).toEqual([2, 2]);
    end();
    registry.register(widgets);
    expect(changes).toBe(2);
  });

  it('tells of a batch of changes once, and of an empty one not at all', () => {
    const registry = new LiveRegistry([]);
    let changes = 0;
    registry.onChange(() => changes++);
    registry.batch(() => {
      registry.register(widgets);
      registry.batch(() => registry.register({ ...widgets, row: { ...row, version: 'v2' } }));
    });
    registry.batch(() => {});
    expect([changes, registry.rows()]).toEqual([1, [row, { ...row, version: 'v2' }]]);
  });

  it('serves a kind that nobody is told of, or that is described elsewhere', () => {
    const registry = new LiveRegistry([{ ...widgets, isHidden: true }]);
    expect([registry.rowOf(row), registry.rows(), registry.describedRows()]).toEqual([row, [], []]);
    const other = new LiveRegistry([{ ...widgets, isUndescribed: true }]);
    expect([other.rows(), other.describedRows()]).toEqual([[row], []]);
  });

  it('refuses a second kind of one path, and to be asked for one that no server has', () => {
    const registry = new LiveRegistry([widgets]);
    expect(() => registry.register({ ...widgets })).toThrow('served twice');
    expect(() => registry.get(row)).toThrow('no registration');
  });
});
