import { describe, expect, it } from 'vitest';
import { RouteCosts } from './route-costs.js';
import { UnpricedRequests } from './unpriced-requests.js';

type Posted = [route: string, customer: string, ms: number, requests: number];

function bookOf() {
  const posted: Posted[] = [];
  const postEstimate = (route: string, customer: string, _: string, ms: number, requests: number) => {
    posted.push([route, customer, ms, requests]);
  };
  return { posted, postEstimate };
}

describe('UnpricedRequests', () => {
  it('have the price of their route as soon as it is known, and once', () => {
    const costs = new RouteCosts({}, 10);
    costs.teach('/cheap', 0.05);
    const unpriced = new UnpricedRequests();
    for (let i = 0; i < 3; i++) unpriced.add('/dear', 'mail', 'CRITICAL', 0);
    unpriced.add('/dear', 'calendar', 'SHEDDABLE', 0);
    const book = bookOf();
    unpriced.price(costs, book, 1_000);
    expect(book.posted).toEqual([]);
    costs.teach('/dear', 5);
    unpriced.price(costs, book, 1_100);
    unpriced.price(costs, book, 1_200);
    expect(book.posted).toEqual([
      ['/dear', 'mail', 15, 3],
      ['/dear', 'calendar', 5, 1],
    ]);
  });

  it('cost what all cost on average when nothing is learned of their route', () => {
    const costs = new RouteCosts({}, 10);
    costs.teach('/other', 4);
    const unpriced = new UnpricedRequests();
    unpriced.add('/once', '', 'CRITICAL', 0);
    const book = bookOf();
    unpriced.price(costs, book, 1_999);
    expect(book.posted).toEqual([]);
    unpriced.price(costs, book, 2_000);
    expect(book.posted).toEqual([['/once', '', 4, 1]]);
  });

  it('are of a bounded number of kinds', () => {
    const unpriced = new UnpricedRequests();
    const isTaken = Array.from({ length: 1_001 }, (_, i) =>
      unpriced.add('/a', `customer ${i}`, 'CRITICAL', 0),
    );
    expect(isTaken.filter(Boolean)).toHaveLength(1_000);
    expect(unpriced.add('/a', 'customer 7', 'CRITICAL', 0)).toBe(true);
  });
});
