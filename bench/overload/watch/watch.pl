# Wakes each millisecond, and says when it woke late: from when to when, in milliseconds of the monotonic clock.
# Not in Node, whose threads wait for each other and may not go before everybody: that has hung.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC usleep);

# Finds whatever lasts for longer, for 2 % of the core.
my $every_ms = 1;
# What is shorter is lost among what requests differ by anyway.
my $late_ms = 0.25;

# Whoever started it may be killed without a word.
my $parent = getppid;
my $wakes = 0;

$| = 1;
print "watching\n";
my $before = clock_gettime(CLOCK_MONOTONIC) * 1e3;
while (1) {
  usleep($every_ms * 1e3);
  my $now = clock_gettime(CLOCK_MONOTONIC) * 1e3;
  printf "%.3f %.3f\n", $before, $now if $now - $before > $every_ms + $late_ms;
  $before = $now;
  exit if ++$wakes % 1000 == 0 && getppid != $parent;
}
