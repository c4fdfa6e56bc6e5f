import { mix, SeededRandom } from '../seeded-random.js';
import { ringOrder, ringPlace } from './van-der-corput.js';

/** Ten, as published: small enough that a partly filled last lot matters little, large enough to tell rows apart. */
const LOT = 10;

/** Client k of a lot reads row ROWS[k]: a lot that is not yet full has its clients far apart. */
const ROWS = ringOrder(LOT);

/**
 * Rocksteadier Subsetting (Ward, Wankadia, Guliani, "Reinventing Backend Subsetting at Google", ACM Queue 2022):
 * the balance of deterministic subsetting without its churn.
 *
 * Clients and backends come in lots of ten. A lot of clients sees the lots of backends as columns, each shuffled for
 * it, and its ten clients read ten different rows: a lot of clients uses every backend of a column once, and a row
 * holds one backend of each ten neighbours, so a rolling restart takes few from any subset. Columns stand on a ring at
 * their van der Corput places, and a lot of clients begins at its own place. A new lot steps in between two others and
 * moves none; a new backend fills a seat that was padding, which changes one row for each lot of clients.
 *
 * A row that is read to its end goes on in the next. With full lots the balance is exact when the size is a multiple
 * of the columns, or when client lots are as many as backend lots; otherwise it is mostly within 10 %. It is coarse for
 * sizes of 1 to 3 and for clients much fewer than backends: places that never move leave gaps of 1 : 2 on the ring.
 */
export function rocksteadierOrder(backendCount: number, clientId: number, seed: number): Uint32Array {
  const clientLot = Math.floor(clientId / LOT);
  const ring = columnsFrom(ringPlace(clientLot), Math.ceil(backendCount / LOT));
  const seats = shuffledSeats(ring, clientLot, seed);
  const order = new Uint32Array(backendCount);
  const firstRow = ROWS[clientId % LOT]!;
  let filled = 0;
  for (let turn = 0; turn < LOT; turn++) {
    const row = (firstRow + turn) % LOT;
    for (let column = 0; column < ring.length; column++) {
      const backend = ring[column]! * LOT + seats[column * LOT + row]!;
      // Seats at or past the count are the padding of the last lot.
      if (backend < backendCount) order[filled++] = backend;
    }
  }
  return order;
}

/** The backend lots clockwise from a place on the ring. */
function columnsFrom(place: number, lotCount: number): Uint32Array {
  const ring = ringOrder(lotCount);
  const start = ring.findIndex((lot) => ringPlace(lot) >= place);
  // Past the last lot the ring begins again: -1 is as good as 0.
  if (start <= 0) return ring;
  const turned = new Uint32Array(lotCount);
  turned.set(ring.subarray(start));
  turned.set(ring.subarray(0, start), lotCount - start);
  return turned;
}

/** Ten seats for each column, padding included: a padded seat that is filled later leaves all others in place. */
function shuffledSeats(ring: Uint32Array, clientLot: number, seed: number): Uint8Array {
  const seats = new Uint8Array(ring.length * LOT);
  const stream = mix(seed);
  const lot = new Array<number>(LOT);
  for (let column = 0; column < ring.length; column++) {
    for (let seat = 0; seat < LOT; seat++) lot[seat] = seat;
    seats.set(new SeededRandom(clientLot, stream ^ ring[column]!).shuffle(lot), column * LOT);
  }
  return seats;
}
