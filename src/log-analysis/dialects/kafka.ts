/** Kafka and ZooKeeper: "Exiting Kafka" follows from the exception above it. */
import type { Dialect } from './dialect.ts';

export const kafka: Dialect = {
  name: 'kafka',
  recognises: /\(kafka\.\w|\[KafkaServer|org\.apache\.(?:kafka|zookeeper)|\bzookeeper\b/i,
  noise:
    /^(?:Exiting (?:Kafka|abnormally)|shutting down|shut down completed|Shutdown requested|\[KafkaServer id=\d+\] shut)/,
  consequence:
    /Fatal error during Kafka(?:Server|Raft|\w*) startup|Prepare to shutdown|Unexpected exception, exiting abnormally$|Exiting due to fatal/,
  recovery: /\[KafkaServer id=\d+\] started|Kafka Server started|binding to port/,
  request: /could not be established\. (?:Broker|Node) may not be available|Failed authentication with/,
};
