import { describe, expect, it } from 'vitest';
import { callOf } from './called-as.ts';

describe('callOf', () => {
  it.each([
    ['/usr/bin/mendlet', 'mendlet', ['a']],
    ['/src/mendlet/dist/mendlet.js', 'mendlet', ['a']],
    ['/usr/bin/kubectl-restart', 'kubectl', ['restart', 'a']],
    ['/src/mendlet/dist/kubectl-why.js', 'kubectl', ['why', 'a']],
    ['kubectl-history', 'kubectl', ['history', 'a']],
    ['/usr/bin/kubectl-try_now', 'kubectl', ['try-now', 'a']],
    ['/home/kubectl-restart/mendlet.js', 'mendlet', ['a']],
    [undefined, 'mendlet', ['a']],
  ])('%s', (program, calledAs, args) => {
    expect(callOf(program, ['a'])).toEqual({ calledAs, args });
  });

  it('takes what kubectl takes', () => {
    const args = ['-n=prod', '--namespace=prod', '-nprod', 'pod/a=b', '-'];
    expect(callOf('kubectl-why', args).args).toEqual(['why', '-nprod', '--namespace=prod', '-nprod', 'pod/a=b', '-']);
    expect(callOf('mendlet', args).args).toEqual(args);
  });
});
