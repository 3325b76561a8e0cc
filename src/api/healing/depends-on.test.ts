import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDependsOn } from './depends-on.ts';
import { MAX_DEPENDENCIES } from './limits.ts';

const read = (text: string) => readDependsOn(text, 'shop');

describe('what a pod depends on', () => {
  it.each<[string, object]>([
    ['service/db', { kind: 'Service', namespace: 'shop', name: 'db', text: 'service/db' }],
    ['svc/db', { kind: 'Service', namespace: 'shop', name: 'db', text: 'service/db' }],
    ['service/db.shop', { kind: 'Service', namespace: 'shop', name: 'db', text: 'service/db' }],
    [
      'service/db.prod:5432',
      { kind: 'Service', namespace: 'prod', name: 'db', port: '5432', text: 'service/db.prod:5432' },
    ],
    ['service/db:sql', { kind: 'Service', namespace: 'shop', name: 'db', port: 'sql', text: 'service/db:sql' }],
    ['pod/cache-0', { kind: 'Pod', namespace: 'shop', name: 'cache-0', text: 'pod/cache-0' }],
    ['po/a.b', { kind: 'Pod', namespace: 'shop', name: 'a.b', text: 'pod/a.b' }],
    ['deploy/web', { kind: 'Deployment', namespace: 'shop', name: 'web', text: 'deployment/web' }],
    ['statefulset/db', { kind: 'StatefulSet', namespace: 'shop', name: 'db', text: 'statefulset/db' }],
    ['10.0.0.7:5432', { kind: 'Address', host: '10.0.0.7', port: 5432, text: '10.0.0.7:5432' }],
    ['[fd00::7]:05432', { kind: 'Address', host: 'fd00::7', port: 5432, text: '[fd00::7]:5432' }],
    ['db.example.com:80', { kind: 'Address', host: 'db.example.com', port: 80, text: 'db.example.com:80' }],
  ])('%s', (text, dependency) => expect(read(text)).toEqual({ dependencies: [dependency], problems: [] }));

  it.each([
    'db',
    'db:',
    ':80',
    'db:http',
    'db:0',
    'db:65536',
    'db:123456',
    'fd00::7:80',
    '[10.0.0.7]:80',
    '[fd00::7]',
    '1.2.3:80',
    '1.2.3.400:80',
    'DB:80',
    'http://db:80',
    'service/',
    'service/DB',
    'service/db.prod.svc',
    'service/db:0',
    'service/db:70000',
    'service/db:',
    'service/db:1:2',
    'service/db:SQL',
    'pod/',
    'pod/a:80',
    'pod/a/b',
    'constructor/x',
    'job/x',
  ])('%s is no dependency', (text) => {
    const { dependencies, problems } = read(text);
    expect(dependencies).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`"${text}": `);
  });

  it('goes on beside what is wrong, and names each once', () => {
    const { dependencies, problems } = read(' service/db,svc/db  pod/x\n,nonsense, 10.0.0.7:1 ');
    expect(dependencies.map(({ text }) => text)).toEqual(['service/db', 'pod/x', '10.0.0.7:1']);
    expect(problems).toEqual([
      '"nonsense": must be service/NAME[.NAMESPACE][:PORT], pod/NAME, deployment/NAME, statefulset/NAME or HOST:PORT',
    ]);
  });

  it('has bounds', () => {
    const many = read(Array.from({ length: 10 }, (_, i) => `pod/p${i}`).join(','));
    expect(many.dependencies).toHaveLength(MAX_DEPENDENCIES);
    expect(many.problems).toEqual([
      '"pod/p8": a pod may name at most 8 dependencies',
      '"pod/p9": a pod may name at most 8 dependencies',
    ]);
    expect(read('x'.repeat(5000))).toEqual({ dependencies: [], problems: ['must have at most 4096 characters'] });
    expect(read(' , ,')).toEqual({ dependencies: [], problems: [] });
  });

  it('never throws, and reads what it tells', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const each of read(text).dependencies) expect(read(each.text).dependencies).toEqual([each]);
      }),
    );
  });
});
