#include <stdio.h>
#define MAX 9
#define TWICE(x) ((x) * 2)

/* A rate. */
struct rate {
    int value;
    char *name, *other;
    int (*callback)(int);
};

typedef struct { int a; } pair_t;
typedef int (*handler)(int);
typedef unsigned int u32;

enum kind { FIXED, FLOATING = 2 };
union bits { int i; };

static int count = 0, other;
extern int later;
int prototype(int x);
struct rate *make(int value);

static inline int total(struct rate *r) { int local; return r->value; }
int *pointer(void) { return 0; }
