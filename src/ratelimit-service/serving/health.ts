/** What is asked about by name; '' is everything. */
const SERVICES = ['', 'ratelimit'];

/** Whether calls are wanted. */
export class Health {
  isServing = true;

  knows(service: string): boolean {
    return SERVICES.includes(service);
  }
}
