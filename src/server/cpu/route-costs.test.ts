import { describe, expect, it } from 'vitest';
import { RouteCosts } from './route-costs.js';

describe('RouteCosts', () => {
  it('knows nothing at first', () => {
    expect(new RouteCosts({}, 10).expectedMs('/a')).toBe(0);
  });

  it('is the mean of the route, or of all for a route that was not measured', () => {
    const costs = new RouteCosts({}, 10);
    costs.teach('/a', 1);
    costs.teach('/a', 3);
    costs.teach('/b', 8);
    expect(costs.expectedMs('/a')).toBe(2);
    expect(costs.expectedMs('/b')).toBe(8);
    expect(costs.expectedMs('/c')).toBe(4);
  });

  it('believes the hint until something was measured', () => {
    const costs = new RouteCosts({ '/a': 5, '/free': 0 }, 10);
    costs.teach('/b', 1);
    expect(costs.expectedMs('/a')).toBe(5);
    expect(costs.expectedMs('/free')).toBe(0);
    costs.teach('/a', 2);
    expect(costs.expectedMs('/a')).toBe(2);
    expect(costs.hintedMs('/a')).toBe(5);
    expect(costs.hintedMs('/b')).toBe(0);
  });

  it('tells once of each route that nobody knows, of a bounded number of them', () => {
    const costs = new RouteCosts({ '/hinted': 5 }, 2);
    costs.teach('/measured', 1);
    const routes = ['/hinted', '/measured', '/a', '/a', '/b', '/c'];
    expect(routes.map((route) => costs.isNew(route))).toEqual([false, false, true, false, true, false]);
  });

  it('counts work after the end to the requests that caused it', () => {
    const costs = new RouteCosts({}, 10);
    costs.teach('/a', 1);
    costs.teach('/a', 1);
    costs.teachMore('/a', 4);
    expect(costs.expectedMs('/a')).toBe(3);
  });

  it('follows a change of costs within a minute or two', () => {
    const costs = new RouteCosts({}, 10);
    for (let second = 0; second < 600; second++) {
      costs.fade(second * 1_000);
      costs.teach('/a', 1);
    }
    for (let second = 600; second < 720; second++) {
      costs.fade(second * 1_000);
      costs.teach('/a', 5);
    }
    // e⁻² of the way is left.
    expect(costs.expectedMs('/a')).toBeCloseTo(5 - 4 * Math.exp(-2), 1);
  });

  it('keeps its mean while nothing is measured, and has forgotten it after an hour', () => {
    const costs = new RouteCosts({ '/a': 7 }, 10);
    costs.fade(0);
    costs.teach('/a', 2);
    costs.teach('/b', 2);
    costs.fade(600_000);
    expect(costs.expectedMs('/a')).toBeCloseTo(2, 9);
    costs.fade(3_600_000);
    expect(costs.expectedMs('/a')).toBe(7);
    expect(costs.expectedMs('/b')).toBe(0);
  });

  it('keeps means for a bounded number of routes, and has room again once some are forgotten', () => {
    const costs = new RouteCosts({}, 2);
    costs.fade(0);
    for (const route of ['/a', '/b', '/c']) costs.teach(route, 1);
    costs.teach('/c', 9);
    expect(costs.expectedMs('/c')).toBe(3);
    costs.fade(3_600_000);
    costs.teach('/c', 9);
    costs.teach('/d', 5);
    costs.teach('/e', 1);
    expect([costs.expectedMs('/c'), costs.expectedMs('/d'), costs.expectedMs('/e')]).toEqual([9, 5, 5]);
  });

  it('does not grow by work that ends after its route was forgotten', () => {
    const costs = new RouteCosts({}, 1);
    costs.fade(0);
    costs.teachMore('/a', 4);
    expect(costs.expectedMs('/a')).toBe(0);
    costs.fade(1_000);
    costs.teach('/b', 3);
    expect(costs.expectedMs('/b')).toBe(3);
  });

  it('refuses impossible hints and bounds', () => {
    expect(() => new RouteCosts({ '/a': -1 }, 10)).toThrow(
      'hints["/a"] must be a finite number >= 0, got -1',
    );
    expect(() => new RouteCosts({}, 0)).toThrow('maxRoutes must be an integer >= 1, got 0');
  });
});
