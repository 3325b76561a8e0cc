import { expect, it } from 'vitest';
import { tellingLines } from './telling-lines.ts';

it.each<[string, readonly string[], readonly string[]]>([
  ['no trace: the last ones', ['a', 'b', 'connect(db)', 'd'], ['b', 'connect(db)', 'd']],
  ['nothing but frames', ['\tat a.b(C.java:1)', '\tat a.c(C.java:2)'], ['\tat a.b(C.java:1)', '\tat a.c(C.java:2)']],
  ['what comes after a trace', ['KeyError: x', '\tat a.b(C.java:1)', 'giving up'], ['KeyError: x', 'giving up']],
  [
    'python ends with what was raised',
    [
      'Traceback (most recent call last):',
      '  File "/m.py", line 3, in <module>',
      '    import flask',
      'ImportError: flask',
    ],
    ['ImportError: flask'],
  ],
  [
    'the last of many causes',
    [
      'java.lang.AException: 1',
      '\tat a.b(C.java:1)',
      'Caused by: B: 2',
      'Caused by: C: 3',
      '\t... 8 more',
      'Caused by: D: 4',
    ],
    ['Caused by: B: 2', 'Caused by: C: 3', 'Caused by: D: 4'],
  ],
  [
    'go, with its signal',
    [
      'panic: nil',
      '[signal SIGSEGV: segmentation violation]',
      'goroutine 1 [running]:',
      'main.main()',
      '\t/m.go:3 +0x1',
      'exit status 2',
    ],
    ['panic: nil'],
  ],
])('%s', (_, lines, telling) => {
  expect(tellingLines(lines, 3)).toEqual(telling);
});
