import { describe, expect, it } from 'vitest';
import type { ObjectDependency } from '../../api/index.ts';
import { Dependents, objectsNamedBy, targetOf } from './dependents.ts';

const db: ObjectDependency = { kind: 'Service', namespace: 'shop', name: 'db', text: 'service/db' };
const sql: ObjectDependency = { ...db, port: 'sql', text: 'service/db:sql' };
const cache: ObjectDependency = { kind: 'Pod', namespace: 'shop', name: 'cache', text: 'pod/cache' };

describe('who depends on what', () => {
  it('is known by what is named, until nobody names it', () => {
    const dependents = new Dependents();
    dependents.set('shop/a', [db, sql, cache]);
    dependents.set('shop/b', [db]);
    expect(dependents.of(targetOf(db))).toEqual(['shop/a', 'shop/b']);
    expect(dependents.of(targetOf(cache))).toEqual(['shop/a']);
    dependents.set('shop/a', [cache]);
    expect(dependents.of(targetOf(db))).toEqual(['shop/b']);
    dependents.set('shop/b', []);
    expect(dependents.of(targetOf(db))).toEqual([]);
  });

  it('addresses are nobody’s here', () => {
    const metadata = {
      name: 'a',
      namespace: 'shop',
      annotations: { 'mendlet.dev/depends-on': 'service/db, 10.0.0.1:80' },
    };
    expect(objectsNamedBy({ metadata, spec: { containers: [] } })).toEqual([db]);
    expect(objectsNamedBy({ metadata: { name: 'a' }, spec: { containers: [] } })).toEqual([]);
  });

  it('tells since when each has been ready: at first sight as its objects say, later as it was seen', () => {
    const dependents = new Dependents();
    dependents.set('shop/a', [db, sql]);
    expect(dependents.observe(db, { ready: true, since: 50 }, 100)).toBe(50);
    expect(dependents.observe(db, { ready: true, since: 70 }, 110)).toBe(50);
    expect(dependents.observe(db, { ready: false }, 120)).toBeUndefined();
    expect(dependents.observe(db, { ready: true, since: 120 }, 130)).toBe(130);
    expect(dependents.observe(sql, { ready: true }, 100)).toBeUndefined();
    expect(dependents.observe(sql, { ready: false }, 140)).toBeUndefined();
    expect(dependents.observe(sql, { ready: true }, 150)).toBe(150);
    expect(dependents.seen(targetOf(db))).toEqual([db, sql]);
    dependents.set('shop/a', []);
    expect(dependents.seen(targetOf(db))).toEqual([]);
  });
});
