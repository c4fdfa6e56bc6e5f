import { describe, expect, it } from 'vitest';
import { redisMastership } from '../../../src/quota/index.js';
import { expectNoMishaps } from '../server/mishaps.js';
import { describeCapacity } from './capacity.contract.js';
import { CapacityBed } from './capacity-bed.js';

expectNoMishaps();
const bed = new CapacityBed();

describeCapacity('HTTP', bed);

describe('options of capacity', () => {
  it('are refused when they are impossible', async () => {
    await expect(bed.server({ resources: {} })).rejects.toThrow('resources must name at least one');
    await expect(bed.server({ resources: { gpu: {} } })).rejects.toThrow('capacity must be');
    await expect(bed.server({ resources: { 'a/b': { capacity: 1 } } })).rejects.toThrow('resource must be');
    const parent = { url: 'http://127.0.0.1:9' };
    const resources = { gpu: { capacity: 1 } };
    await expect(bed.server({ resources, address: 'here' })).rejects.toThrow('address must be');
    await expect(bed.server({ resources: { gpu: {} }, parent: { ...parent, client: '' } })).rejects.toThrow(
      'client must be',
    );
    const mastership = redisMastership({ url: 'redis://127.0.0.1:9', name: 'gpu' });
    await expect(
      bed.server({ resources: { gpu: { capacity: 1, learningMs: 0 } }, mastership }),
    ).rejects.toThrow('learningMs of gpu must not be given with mastership');
    await expect(bed.server({ resources: { gpu: { capacity: 1 } }, parent })).rejects.toThrow(
      'no option "capacity"',
    );
    expect(() => bed.client('ftp://a')).toThrow('url must be an http or https address');
    expect(() => bed.client('http://a', { priority: 10 })).toThrow('priority must be');
    expect(() => bed.client('http://a', { client: '' })).toThrow('client must be a name');
  });
});
