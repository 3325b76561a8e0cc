import { describe } from 'vitest';
import { crashed, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from '../cases/cases.fixtures.ts';

const maria: ServiceEvidence = {
  namespace: 'shop',
  name: 'maria',
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [3306],
  ready: 1,
  notReady: 0,
  selector: { app: 'maria' },
  server: {
    owner: 'deployment/maria',
    pod: pod({
      name: 'maria-1',
      container: { volumeMounts: [{ name: 'scratch', mountPath: '/mysqltmp' }] },
      spec: { volumes: [{ name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } }] },
    }),
    configs: [],
  },
};
const asks = (line: string, services: readonly ServiceEvidence[] = [maria]): Partial<PodEvidence> => ({
  pod: pod({ container: { env: [{ name: 'DB_HOST', value: 'maria' }] }, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(line),
  services,
});
const FULL = `pymysql.err.InternalError: (3, 'Error writing file \\'/mysqltmp/#sql/fd=50\\' (Errcode: 28 "No space left on device")')`;

describe('a database without space', () => {
  tellsEach([
    [
      'is named by the file that it could not write',
      asks(FULL),
      'no-space',
      /^container web ends, as its server maria cannot write \/mysqltmp\/#sql\/fd=50: no space is left there, in volume scratch in memory of deployment\/maria, at \/mysqltmp, of 16Mi: pymysql/,
    ],
    [
      'is named where its file is in no volume',
      asks('psycopg2.errors.DiskFull: could not extend file "base/16385/2619": No space left on device'),
      'no-space',
      /^container web ends, as its server maria cannot write.*: no space is left there: psycopg2/,
    ],
    [
      'is not meant by an error of the program itself',
      asks("OSError: [Errno 28] No space left on device: '/mysqltmp/x'"),
      'no-space',
      /^container web cannot write \/mysqltmp\/x: no space is left/,
    ],
    ['is itself', asks(FULL, []), 'no-space', /^container web cannot write \/mysqltmp/],
  ]);
});
