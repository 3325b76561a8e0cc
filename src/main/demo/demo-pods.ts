/** The pods of the demo: one healthy, and one for each way of dying that pods are healed from. */
import type { Pod } from '../../api/index.ts';

export const demoImage = 'localhost/mendlet-demo:1';
export const demoNamespace = 'demo';
/** The memory limit of the greedy pod. */
export const memoryLimit = '24Mi';

export interface DemoPod {
  readonly name: string;
  /** Its mistake, for the view. */
  readonly what: string;
  readonly pod: Pod;
}

interface Recipe {
  readonly name: string;
  readonly what: string;
  readonly script: string;
  readonly container?: object;
}

const page = 'mkdir -p /tmp/www; echo "hello from mendlet" > /tmp/www/index.html';
const httpd = 'httpd -f -p 8080 -h /tmp/www';
const probe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, timeoutSeconds: 1 };

const recipes: readonly Recipe[] = [
  {
    name: 'web',
    what: 'a healthy web server',
    script: `${page}; exec ${httpd}`,
    container: { readinessProbe: probe },
  },
  {
    name: 'crasher',
    what: 'exits with an error after 4 s',
    script: 'sleep 4; echo "cannot open /etc/app.conf: no such file"; exit 1',
  },
  {
    name: 'hanger',
    what: 'freezes after 6 s, behind a liveness probe',
    // SIGSTOP is a real hang: the kernel still accepts connections, and nothing answers.
    script: `trap "exit 143" TERM; ${page}; ${httpd} & sleep 6; kill -STOP $!; while :; do sleep 1; done`,
    container: { livenessProbe: { ...probe, failureThreshold: 2 } },
  },
  {
    name: 'greedy',
    what: `takes more memory than its ${memoryLimit}`,
    script: 'sleep 5; echo "loading it all into memory"; exec tail /dev/zero',
    container: { resources: { limits: { memory: memoryLimit } } },
  },
];

export const demoPods: readonly DemoPod[] = recipes.map(({ name, what, script, container }) => ({
  name,
  what,
  pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: demoNamespace, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 2,
      containers: [
        {
          name: 'app',
          image: demoImage,
          imagePullPolicy: 'Never',
          command: ['/bin/sh', '-c', script],
          // The last words of the dead are in its state, so that the view can quote them.
          terminationMessagePolicy: 'FallbackToLogsOnError',
          ...container,
        },
      ],
    },
  } as Pod,
}));
