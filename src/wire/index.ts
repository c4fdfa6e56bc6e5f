/** Headers and datagrams: encode and decode, nothing else. */
export { outcomeOfAnswer, retryAfterMs } from './answer-outcome.js';
export { baggageWith, criticalityInBaggage } from './baggage.js';
export {
  type CapacityAnswerMessage,
  decodeCapacityAnswer,
  decodeReleaseAnswer,
  encodeCapacityAnswer,
  encodeDiscovery,
  encodeReleaseAnswer,
} from './capacity/capacity-answers.js';
export {
  CAPACITY_METHODS,
  type CapacityMethod,
  type CapacityRequest,
  capacityMethodPath,
  decodeCapacityRequest,
  decodeReleaseRequest,
  decodeServerCapacityRequest,
  encodeCapacityRequest,
  encodeReleaseRequest,
  encodeServerCapacityRequest,
  isForOneself,
  MOST_CAPACITY_BYTES,
} from './capacity/capacity-requests.js';
export {
  CUSTOMER_WORDS,
  checkCustomers,
  decodeCustomer,
  encodeCustomer,
  knownName,
  UNMETERED,
} from './customer-name.js';
export {
  decodeHealthRequest,
  decodeHealthResponse,
  encodeHealthList,
  encodeHealthRequest,
  encodeHealthResponse,
  GRPC_HEALTH_SERVICE,
  SERVING_STATUS,
} from './grpc-health.js';
export { GRPC_REFUSALS, type GrpcRefusal, grpcRefusalFields } from './grpc-refusal.js';
export { endFields, GRPC_STATUS, grpcStatusOf, isGrpcFailure, toTrailersOnly } from './grpc-status.js';
export { decodeGrpcTimeout, encodeGrpcTimeout, GRPC_TIMEOUT_HEADER } from './grpc-timeout.js';
export {
  type ClientDatagram,
  COOKIE_BYTES,
  DATAGRAM_BYTES,
  decodeClientDatagram,
  decodeServerDatagram,
  encodeDatagram,
  type ServerDatagram,
  TOKEN_BYTES,
} from './health-datagram.js';
export { decodeHealthLine, encodeHealthLine, HEALTH_STATES, type Health } from './health-line.js';
export { type HopFacts, writeRequestHeaders } from './hop-headers.js';
export { addField, type Http2Fields, isOfConnection, withoutRepeats } from './http2-fields.js';
export { isLameDuckAnswer, LAME_DUCK_HEADER, LAME_DUCK_HEADERS } from './lame-duck.js';
export { decodeLoadReport, encodeLoadReport, isLoadNumber } from './load-report.js';
export * from './names.js';
export {
  decodeLoadReportMessage,
  decodeReportRequest,
  encodeLoadReportMessage,
  encodeReportRequest,
} from './orca-message.js';
export { ProtoReader } from './protobuf/proto-reader.js';
export { ProtoWriter } from './protobuf/proto-writer.js';
export { type EncodedLevels, LevelsDecoder, LevelsEncoder } from './quota-levels.js';
export { encodeReportNames, encodeReportValues, ReportDecoder } from './quota-report.js';
export {
  ANSWERS,
  type Answer,
  type AnswerForm,
  type AnswerName,
  answerName,
  refusalBytes,
  refusalHeaders,
  renderRefusal,
} from './refusal-answer.js';
export { RequestFacts } from './request-facts.js';
export { readRequestHeaders } from './request-headers.js';
export { traceIdOf } from './trace-parent.js';
