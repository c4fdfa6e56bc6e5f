import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ringOrder, ringPlace } from './van-der-corput.js';

describe('the van der Corput sequence', () => {
  it('is 0, ½, ¼, ¾, ⅛ …', () => {
    const places = Array.from({ length: 8 }, (_, index) => ringPlace(index) / 2 ** 32);
    expect(places).toEqual([0, 1 / 2, 1 / 4, 3 / 4, 1 / 8, 5 / 8, 3 / 8, 7 / 8]);
  });

  it('mirrors all 32 bits', () => {
    expect(ringPlace(0xffff_0001)).toBe(0x8000_ffff);
    fc.assert(
      fc.property(fc.nat({ max: 0xffff_ffff }), (index) => {
        expect(ringPlace(ringPlace(index))).toBe(index);
      }),
    );
  });

  it('orders indexes by place', () => {
    expect([...ringOrder(1)]).toEqual([0]);
    expect([...ringOrder(2)]).toEqual([0, 1]);
    expect([...ringOrder(10)]).toEqual([0, 8, 4, 2, 6, 1, 9, 5, 3, 7]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), (count) => {
        const sorted = Array.from({ length: count }, (_, index) => index).sort(
          (a, b) => ringPlace(a) - ringPlace(b),
        );
        expect([...ringOrder(count)]).toEqual(sorted);
      }),
    );
  });
});
