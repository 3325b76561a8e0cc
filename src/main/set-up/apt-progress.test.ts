import { expect, it } from 'vitest';
import { aptProgress } from './apt-progress.ts';

const output = `Reading package lists...
Need to get 38.9 MB of archives.
After this operation, 151 MB of additional disk space will be used.
Get:1 http://archive.example/debian bookworm/main amd64 libelf1 amd64 0.188-2.1 [174 kB]
Get:2 http://archive.example/debian bookworm/main amd64 iproute2 amd64 6.1.0-3 [1046 kB]
Get:3 http://archive.example/debian bookworm/main amd64 containerd amd64 1.6.20 [25.9 MB]
Fetched 38.9 MB in 1s (39.0 MB/s)
Selecting previously unselected package libelf1:amd64.
Preparing to unpack .../00-libelf1_0.188-2.1_amd64.deb ...
Unpacking libelf1:amd64 (0.188-2.1) ...
Unpacking containerd (1.6.20) ...
Setting up libelf1:amd64 (0.188-2.1) ...
Setting up containerd (1.6.20) ...
Processing triggers for libc-bin (2.36-9) ...
`;

it('shows the size, the big packages and the phases', () => {
  const shown = output.split('\n').map(aptProgress());
  expect(shown.filter((text) => text !== undefined)).toEqual([
    '  fetching 38.9 MB',
    '  fetching iproute2 (1046 kB)',
    '  fetching containerd (25.9 MB)',
    '  unpacking',
    '  setting up',
  ]);
});

it('shows no size of what is there already', () => {
  const progress = aptProgress();
  expect(progress('Need to get 0 B/38.9 MB of archives.')).toBeUndefined();
  expect(progress('Need to get 1,046 kB/38.9 MB of archives.')).toBe('  fetching 1,046 kB');
});
