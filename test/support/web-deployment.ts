/** A web server in pods for tests of services: each answers with its pod's name. */

/** `grace`: seconds; the server ends at once at its signal, as one without a preStop hook does. */
export function webDeployment(name: string, replicas: number, more: { readonly grace?: number } = {}): object {
  const labels = { app: name };
  const serve = 'hostname >/www/index.html; trap "exit 0" TERM; httpd -f -p 8080 -h /www & wait';
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: more.grace ?? 30,
          containers: [
            {
              name: 'main',
              image: 'docker.io/library/busybox:latest',
              imagePullPolicy: 'IfNotPresent',
              command: ['sh', '-c', `mkdir -p /www; ${serve}`],
              readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  };
}

/** @param more fields of its spec */
export function webService(
  name: string,
  more: object = {},
  annotations: Readonly<Record<string, string>> = {},
): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default', annotations },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }], ...more },
  };
}
